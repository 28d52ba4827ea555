// Why the steps of a function come to an end, and why a selector's number leads to a step.
//
// All jumps go ahead but for those of two steps (`need` ends the run). Each goes back only when a count has grown, within
// bounds, since the last time: `fetch_next`, whose cursor moves over the occurrences of a fetch, and `select_again`, whose
// selector looks on from behind the case it has found. Nothing in a loop (the steps from the target on) sets its own count
// back, and of two loops one lies within the other, or they have no step in common. So a run without an end would stay for good within
// the largest of the loops that it goes through without an end, and this one's count would grow without bound.
#include "runtime/abi/rows.h"
#include "runtime/abi/verify.h"

namespace hawser::abi {
namespace {

bool uses_selector(Op op) noexcept {
  return op == Op::select_begin || op == Op::select || op == Op::select_again || op == Op::jump_found ||
         op == Op::jump_unless_found || op == Op::use_backend_found;
}

// Where each kind of count was last set back.
struct Beginnings {
  std::vector<std::uint32_t> cursors;    // by register: 1 + the last step that fetches anew
  std::vector<std::uint32_t> selectors;  // 1 + the last select_begin

  static std::uint32_t& at(std::vector<std::uint32_t>& list, std::size_t index) {
    if (index >= list.size()) list.resize(index + 1);
    return list[index];
  }
};

}  // namespace

std::vector<std::uint32_t> selector_counts(const Function& function, std::span<const Step> steps) {
  std::vector<std::uint32_t> counts(function.selectors);
  for (const Step& step : steps) {
    if (step.op == Op::select_begin && step.a < counts.size()) counts[step.a] = step.b;
  }
  return counts;
}

bool verify_selectors(ImageChecker& check, const Function& function, std::span<const Step> steps) {
  std::vector<bool> begins(function.selectors);
  for (const Step& step : steps) {
    if (!uses_selector(step.op)) continue;
    if (!check.expect(step.a < function.selectors, "selector {} is none", step.a)) return false;
    if (step.op != Op::select_begin) continue;
    if (!check.expect(!begins[step.a], "selector {} begins twice", step.a)) return false;
    begins[step.a] = true;
  }
  const std::vector<std::uint32_t> counts = selector_counts(function, steps);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (steps[at].op != Op::jump_found) continue;
    const std::uint32_t count = counts[steps[at].a];
    if (!check.expect(at + 1 + std::uint64_t{count} <= steps.size(), "{} cases lack jumps", count)) return false;
    for (const Step& jump : steps.subspan(at + 1, count)) {
      if (!check.expect(jump.op == Op::jump, "{} stands in place of a jump", name_of(jump.op))) return false;
    }
  }
  return true;
}

bool verify_loops(ImageChecker& check, std::span<const Step> steps) {
  Beginnings last;
  struct Loop {
    std::uint32_t begin, end;
  };
  std::vector<Loop> loops;  // those that lie in no other one so far, in order
  for (std::uint32_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    if (step.op == Op::fetch) Beginnings::at(last.cursors, step.reg) = at + 1;
    if (step.op == Op::select_begin) Beginnings::at(last.selectors, step.a) = at + 1;
    if (step.op != Op::fetch_next && step.op != Op::select_again) continue;
    const std::uint32_t begun =
        step.op == Op::fetch_next ? Beginnings::at(last.cursors, step.reg) : Beginnings::at(last.selectors, step.a);
    if (!check.expect(begun <= step.target, "a loop at {} begins anew", at)) return false;
    while (!loops.empty() && loops.back().begin >= step.target) loops.pop_back();
    if (!check.expect(loops.empty() || loops.back().end < step.target, "loops overlap at {}", at)) return false;
    loops.push_back({step.target, at});
  }
  return true;
}

}  // namespace hawser::abi
