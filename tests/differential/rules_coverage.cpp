#include "tests/differential/rules_coverage.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "runtime/abi/rows.h"
#include "tests/differential/step_hook.h"

namespace hawser::test {
namespace {

using abi::Op;

constexpr std::size_t kMatches = static_cast<std::size_t>(abi::Match::domain) + 1;

template <class IdT, std::size_t count = static_cast<std::size_t>(IdT::count_)>
struct Counts {
  std::array<std::uint64_t, count> times{};
  void note(std::size_t at) noexcept { ++times[at]; }
};

Counts<Op> g_ops;
Counts<abi::FetchId> g_fetches;
Counts<abi::ConverterId> g_converters;
Counts<abi::ActionId> g_actions;
Counts<abi::AliasId> g_aliases;
std::array<std::uint64_t, kMatches> g_matches{};

void append(std::string_view kind, std::string_view name, std::uint64_t times, CoverageReport& report) {
  report.text += fmt::format(" {}={}", name, times);
  if (times == 0) report.missed += fmt::format(" {}:{}", kind, name);
}

template <class IdT, std::size_t count>
void append_all(std::string_view kind, const Counts<IdT, count>& counts, CoverageReport& report) {
  report.text += fmt::format("{:<10}", kind);
  for (std::size_t at = 0; at < count; ++at) append(kind, abi::name_of(static_cast<IdT>(at)), counts.times[at], report);
  report.text += '\n';
}

}  // namespace

void note_step(const abi::Step& step) noexcept {
  g_ops.note(static_cast<std::size_t>(step.op));
  switch (step.op) {
    case Op::fetch: g_fetches.note(step.a); break;
    case Op::convert: g_converters.note(step.a); break;
    case Op::test: ++g_matches[step.a]; break;
    case Op::act:
    case Op::quit:
    case Op::reply: g_actions.note(step.a); break;
    case Op::redirect: g_actions.note(static_cast<std::size_t>(abi::ActionId::redirect)); break;
    case Op::stop:  // of HTTP and of TCP
      g_actions.note(static_cast<std::size_t>(abi::ActionId::allow));
      g_actions.note(static_cast<std::size_t>(abi::ActionId::accept));
      break;
    case Op::text_alias: g_aliases.note(step.a); break;
    default: break;
  }
}

CoverageReport coverage_report() {
  CoverageReport report;
  append_all("opcode", g_ops, report);
  // The resolver writes that of the request or of the response for them.
  const auto same = [](abi::FetchId one, abi::FetchId meant) {
    g_fetches.times[static_cast<std::size_t>(one)] = g_fetches.times[static_cast<std::size_t>(meant)];
  };
  same(abi::FetchId::hdr, abi::FetchId::req_hdr);
  same(abi::FetchId::payload, abi::FetchId::req_payload);
  same(abi::FetchId::payload_lv, abi::FetchId::req_payload_lv);
  append_all("fetch", g_fetches, report);
  append_all("converter", g_converters, report);
  append_all("action", g_actions, report);
  append_all("alias", g_aliases, report);
  report.text += fmt::format("{:<10}", "match");
  for (std::size_t at = 0; at < kMatches; ++at) {
    const auto match = static_cast<abi::Match>(at);
    // Refused by name so far.
    if (match != abi::Match::binary) append("match", abi::to_string(match), g_matches[at], report);
  }
  report.text += '\n';
  return report;
}

}  // namespace hawser::test
