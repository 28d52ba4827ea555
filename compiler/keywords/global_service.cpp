// `global`: how the process is replaced and ends, and what it may use.
#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"
#include "compiler/keywords/thread_sets.h"

namespace hawser::compiler {
namespace {

constexpr Param kGrace[] = {{.name = "time",
                             .take = Take::duration,
                             .missing = "'grace' expects <time> as argument.",
                             .invalid = "unexpected character '{}' in argument to <grace>."}};
void lower_grace(ReadContext& cx, const Args& args) { cx.config.global.grace_ms = args.setting<std::uint32_t>(0); }

constexpr Param kHardStop[] = {{.name = "time",
                                .take = Take::duration,
                                .missing = "'hard-stop-after' expects <time> as argument.",
                                .invalid = "unexpected character '{}' in argument to <hard-stop-after>."}};
void lower_hard_stop(ReadContext& cx, const Args& args) {
  cx.config.global.hard_stop_ms = args.setting<std::uint32_t>(0);
}

void lower_noreuseport(ReadContext& cx, const Args& args) {
  cx.config.global.reuse_port = {false, args.keyword_span()};
}

void lower_dumpable(ReadContext& cx, const Args& args) {
  cx.config.global.dumpable = {!args.negated, args.keyword_span()};
}

// A number that HAProxy takes once, unless it is 0: it says so, and goes on.
void set_once(ReadContext& cx, const Args& args, model::Setting<std::uint32_t>& setting) {
  if (setting.is_set() && *setting != 0) {
    refuse(cx, args.voice, args.keyword_span(), fmt::format("'{}' already specified. Continuing.", args.keyword()))
        .not_fatal()
        .label(setting.span, "it stands here");
    return;
  }
  setting = args.count_setting(0);
}

constexpr Param kNumber[] = {
    {.name = "number", .take = Take::loose_integer, .missing = "'{}' expects an integer argument."}};
void lower_maxconnrate(ReadContext& cx, const Args& args) {
  set_once(cx, args, cx.config.global.connections_per_second);
}
void lower_maxsessrate(ReadContext& cx, const Args& args) { set_once(cx, args, cx.config.global.sessions_per_second); }
void lower_ulimit_n(ReadContext& cx, const Args& args) { set_once(cx, args, cx.config.global.descriptors); }
void lower_fd_hard_limit(ReadContext& cx, const Args& args) { set_once(cx, args, cx.config.global.descriptors_max); }

// `cpu-map [auto:]1[/THREADS] CPU-SET…`: without threads, all of them.
constexpr std::string_view kCpuMapExpects =
    "cpu-map expects a process number  ('all', 'odd', 'even', a number from 1 to 64 or a range),  followed by a list "
    "of "
    "CPU ranges with numbers from 0 to 63.";
constexpr Param kCpuMap[] = {{.name = "threads", .missing = kCpuMapExpects},
                             {.name = "cpu-set …", .take = Take::rest, .missing = kCpuMapExpects}};

std::optional<std::uint64_t> read_cpus(ReadContext& cx, const Args& args) {
  std::uint64_t cpus = 0;
  for (std::size_t at = 1; at < args.count(); ++at) {
    const std::optional<std::uint64_t> some = read_cpu_set(args.text(at));
    if (!some) {
      refuse(cx, args.voice, args.span(at), fmt::format("cpu-map : '{}' is not a CPU range.", args.text(at)));
      return std::nullopt;
    }
    cpus |= *some;
  }
  return cpus;
}

void lower_cpu_map(ReadContext& cx, const Args& args) {
  std::string_view threads_text = args.text(0);
  const bool one_each = threads_text.starts_with("auto:");
  if (one_each) threads_text.remove_prefix(5);
  const std::size_t slash = threads_text.find('/');
  const std::string_view first = threads_text.substr(0, slash);
  const std::string_view second = slash == threads_text.npos ? "all" : threads_text.substr(slash + 1);
  const std::optional<std::uint64_t> process = read_number_set(first);
  const std::optional<std::uint64_t> threads = read_number_set(second);
  if (!process || !threads) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("cpu-map : '{}' is not a valid number/range.", process ? second : first));
    return;
  }
  const std::optional<std::uint64_t> cpus = read_cpus(cx, args);
  if (!cpus) return;
  if (one_each &&
      (slash == threads_text.npos ? std::popcount(*process) : std::popcount(*threads)) != std::popcount(*cpus)) {
    refuse(cx, args.voice, args.span(0),
           "cpu-map : PROC/THREAD range and CPU sets must have the same size to be automatically bound");
    return;
  }
  if ((*process & 1) == 0) return;  // of a process that is not there
  auto& rows = cx.config.global.thread_cpus;
  rows.resize(64);
  std::uint64_t left = *cpus;
  for (std::size_t thread = 0; thread < rows.size(); ++thread) {
    if ((*threads >> thread & 1) == 0) continue;
    rows[thread] = one_each ? left & -left : *cpus;
    left &= left - 1;
  }
}

constexpr Keyword kRows[] = {
    {.name = "cpu-map",
     .sections = Section::global,
     .params = kCpuMap,
     .summary = "Bind worker threads to CPUs.",
     .lower = lower_cpu_map},
    {.name = "fd-hard-limit",
     .sections = Section::global,
     .params = kNumber,
     .summary = "Set the most file descriptors that an automatic maxconn reckons with.",
     .lower = lower_fd_hard_limit},
    {.name = "grace",
     .sections = Section::global,
     .params = kGrace,
     .summary = "Go on accepting for a while after a soft stop was asked for.",
     .lower = lower_grace,
     .extra = kUnread},
    {.name = "hard-stop-after",
     .sections = Section::global,
     .params = kHardStop,
     .summary = "Set how long a soft stop waits for connections to end.",
     .lower = lower_hard_stop,
     .extra = kUnread},
    {.name = "maxconnrate",
     .sections = Section::global,
     .params = kNumber,
     .summary = "Set the most connections that the process accepts a second.",
     .lower = lower_maxconnrate},
    {.name = "maxsessrate",
     .sections = Section::global,
     .params = kNumber,
     .summary = "Set the most sessions that the process begins a second.",
     .lower = lower_maxsessrate},
    {.name = "noreuseport",
     .sections = Section::global,
     .summary = "Let no other process bind our addresses.",
     .lower = lower_noreuseport},
    {.name = "set-dumpable",
     .sections = Section::global,
     .summary = "Allow core files of a process that has given up root.",
     .lower = lower_dumpable,
     .prefixes = Prefixes::no},
    {.name = "ulimit-n",
     .sections = Section::global,
     .params = kNumber,
     .summary = "Set the number of file descriptors that the process may have.",
     .lower = lower_ulimit_n},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> global_service_keywords() { return kRows; }

}  // namespace hawser::compiler
