// Why the steps of a function come to an end, and why a selector's number leads to a step.
//
// All jumps go ahead but for those of two steps (`need` ends the run). Each goes back only when a count has grown, within
// bounds, since the last time: `fetch_next`, whose cursor moves over the occurrences of a fetch that has many, and
// `select_again`, whose selector looks on from behind the case it has found. A selector begins in one place alone, before
// all targets of its select_again. What lies between a fetch_next and its target begins no cursor of its register, goes
// back nowhere, and is reached from behind only through its first step.
//
// Of the jumps back that a run without an end made without an end, take one with the least target: from some time on the
// run stays behind this target. If it is a select_again, its selector would never begin anew, and its number would grow
// without bound. So all of those are of fetch_next; no two of them share a step, so the run would stay in one, whose cursor would
// grow without bound.
#include <algorithm>

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
  // Behind the target and up to the step of each fetch_next.
  std::vector<bool> within(steps.size(), false);
  std::uint32_t free_from = 0;  // behind the last step that goes back
  for (std::uint32_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    if (step.op == Op::fetch) Beginnings::at(last.cursors, step.reg) = at + 1;
    if (step.op == Op::select_begin) Beginnings::at(last.selectors, step.a) = at + 1;
    if (step.op != Op::fetch_next && step.op != Op::select_again) continue;
    const bool fetches = step.op == Op::fetch_next;
    const std::uint32_t begun =
        fetches ? Beginnings::at(last.cursors, step.reg) : Beginnings::at(last.selectors, step.a);
    if (!check.expect(begun <= step.target, "a loop at {} begins anew", at) ||
        !check.expect(fetches || begun > 0, "a loop at {} begins nowhere", at) ||
        !check.expect(fetches ? step.target >= free_from : !within[step.target], "loops overlap at {}", at)) {
      return false;
    }
    if (fetches) std::fill(within.begin() + step.target + 1, within.begin() + at + 1, true);
    free_from = at + 1;
  }
  return true;
}

}  // namespace hawser::abi
