#include "runtime/process/limits.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>

#include "runtime/process/listeners.h"

namespace hawser::process {
namespace {

constexpr std::uint32_t kThreadsMax = 64;
constexpr std::uint32_t kMaxconnLeast = 100;
constexpr std::uint32_t kConnectionsPerMegabyte = 28;  // as haproxy 2.6 reckons with -m

// Two digits, as haproxy rounds what it reckons from memory: 9993 is 9900.
std::uint32_t round_down(std::uint32_t value) noexcept {
  std::uint32_t unit = 1;
  while (value / unit >= 100) unit *= 10;
  return value / unit * unit;
}

// Asks for `needed` descriptors. An unset maxconn was reckoned from the hard limit: take all of it.
bool raise_limit(rlimit& limit, std::uint64_t needed) noexcept {
  rlimit wanted = limit;
  wanted.rlim_cur = needed;
  wanted.rlim_max = std::max<rlim_t>(limit.rlim_max, needed);
  if (setrlimit(RLIMIT_NOFILE, &wanted) != 0) return false;
  limit = wanted;
  return true;
}

// fd-hard-limit: no more than so many, from here on.
void lower_limit(rlimit& limit, std::uint64_t most) noexcept {
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// ulimit-n: exactly so many, whatever they suffice for.
bool set_limit(const abi::Plan& plan, std::string_view program, Messages& messages, Limits& limits, rlimit& system) {
  rlimit wanted = system;
  wanted.rlim_cur = plan.global.descriptors;
  wanted.rlim_max = std::max<rlim_t>(system.rlim_max, wanted.rlim_cur);
  const bool set = (plan.global.descriptors_max == 0 || wanted.rlim_cur <= plan.global.descriptors_max) &&
                   setrlimit(RLIMIT_NOFILE, &wanted) == 0;
  if (set) system = wanted;
  limits.granted = static_cast<std::uint32_t>(std::min<std::uint64_t>(system.rlim_cur, 0xffff'ffff));
  if (set) return true;
  messages.say(plan.global.strict_limits ? Severity::alert : Severity::warning,
               fmt::format("[{}.main()] Cannot raise FD limit to {}, limit is {}.", program, plan.global.descriptors,
                           system.rlim_cur));
  return !plan.global.strict_limits;
}

}  // namespace

std::uint32_t reserved_descriptors(std::uint32_t threads, std::uint32_t listeners,
                                   std::uint32_t command_clients) noexcept {
  return 10 + 3 * threads + listeners + command_clients;
}

std::uint32_t maxconn_for(std::uint64_t descriptors, std::uint32_t reserved) noexcept {
  const std::uint64_t connections = descriptors > reserved ? (descriptors - reserved) / 2 : 0;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(connections, kMaxconnLeast, 2'000'000));
}

bool settle_limits(abi::ImageView image, std::uint32_t threads, std::uint32_t memory_mb, std::string_view program,
                   bool tell, Messages& messages, Limits& limits) {
  const auto& plan = image.root<abi::Plan>();
  rlimit system{};
  getrlimit(RLIMIT_NOFILE, &system);
  if (plan.global.descriptors_max != 0) lower_limit(system, plan.global.descriptors_max);
  const std::uint32_t command_clients = plan.global.command_sockets.count != 0 ? plan.global.command_maxconn : 0;
  const std::uint32_t reserved =
      reserved_descriptors(threads, static_cast<std::uint32_t>(count_listeners(image)), command_clients);
  limits.maxconn = plan.global.maxconn;
  if (limits.maxconn == 0) {
    limits.maxconn = maxconn_for(std::max(system.rlim_cur, system.rlim_max), reserved);
    if (memory_mb != 0) {
      limits.maxconn = round_down(std::min(limits.maxconn, memory_mb * kConnectionsPerMegabyte));
    }
    if (tell) messages.note(fmt::format("Note: setting global.maxconn to {}.", limits.maxconn));
  }
  const std::uint64_t needed = std::uint64_t{2} * limits.maxconn + reserved;
  limits.descriptors = static_cast<std::uint32_t>(std::min<std::uint64_t>(needed, 0xffff'ffff));
  const std::uint64_t before = system.rlim_cur;
  if (plan.global.descriptors != 0) return set_limit(plan, program, messages, limits, system);
  if (plan.global.maxconn == 0 && needed <= system.rlim_max) {
    raise_limit(system, system.rlim_max);
  } else if (needed > system.rlim_cur && !raise_limit(system, needed)) {
    const std::string text =
        fmt::format("[{}.main()] Cannot raise FD limit to {}, limit is {}.", program, needed, before);
    if (plan.global.strict_limits) {
      messages.alert(text);
      return false;
    }
    messages.warning(text);
    raise_limit(system, system.rlim_max);
    if (system.rlim_cur < needed) {
      messages.alert(
          fmt::format("[{}.main()] FD limit ({}) too low for maxconn={}/maxsock={}. Please raise "
                      "'ulimit-n' to {} or more to avoid any trouble.",
                      program, system.rlim_cur, limits.maxconn, needed, needed));
    }
  }
  limits.granted = static_cast<std::uint32_t>(std::min<std::uint64_t>(system.rlim_cur, 0xffff'ffff));
  return true;
}

std::uint32_t thread_count(const abi::Plan& plan) noexcept {
  if (plan.global.threads != 0) return plan.global.threads;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const int usable = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(usable), 1, kThreadsMax);
}

}  // namespace hawser::process
