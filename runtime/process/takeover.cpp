#include "runtime/process/takeover.h"

#include <signal.h>
#include <time.h>

#include <fmt/format.h>

namespace hawser::process {
namespace {

constexpr int kTries = 200;
constexpr timespec kBetween{0, 10'000'000};

}  // namespace

bool Takeover::fetch(const CommandLine& command_line, Messages& messages) {
  const std::string& from = command_line.sockets_from;
  if (from.empty() || from == "/dev/null") return true;
  const Status asked = net::ask_for_sockets(from, given_);
  if (!asked)
    messages.alert(fmt::format("Failed to get the sockets from the old process ({}): {}", from, asked.error().message));
  return static_cast<bool>(asked);
}

bool Takeover::bind(abi::ImageView plan, std::uint32_t maxconn, bool reuse_port, Listeners& listeners,
                    Messages& messages) {
  const net::ListenerSource source{&given_, reuse_port};
  std::vector<std::string> failures;
  bool bound = listeners.bind(plan, maxconn, source, failures);
  for (int tries = 0; !bound && !old_.empty() && tries < kTries; ++tries) {
    if (tries == 0) tell(SIGTTOU);
    nanosleep(&kBetween, nullptr);
    bound = listeners.bind(plan, maxconn, source, failures);
  }
  if (bound) return true;
  if (!old_.empty()) tell(SIGTTIN);
  for (const std::string& failure : failures) messages.alert(failure);
  return false;
}

void Takeover::finish() const {
  sigval value{};
  value.sival_int = kReplaced;
  for (const int pid : old_) sigqueue(pid, end_now_ ? SIGTERM : SIGUSR1, value);
}

void Takeover::tell(int signal_number) const {
  for (const int pid : old_) kill(pid, signal_number);
}

}  // namespace hawser::process
