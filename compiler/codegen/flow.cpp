#include "compiler/codegen/flow.h"

#include "runtime/abi/rows.h"

namespace hawser::codegen {
namespace {

using abi::Op;
using abi::Step;

Known negated(Known known) noexcept {
  return known == Known::no ? Known::yes : known == Known::yes ? Known::no : known;
}

}  // namespace

std::uint32_t selector_cases(std::span<const Step> steps, std::uint16_t selector) noexcept {
  for (const Step& step : steps) {
    if (step.op == Op::select_begin && step.a == selector) return step.b;
  }
  return 0;
}

Known absorbed(Op op, Known known, Known other) noexcept {
  const Known decided = op == Op::absorb_or ? Known::yes : Known::no;
  if (known == decided || other == decided) return decided;
  return known == Known::unknown || other == Known::unknown ? Known::unknown : known;
}

Flow::Flow(std::span<const Step> steps, std::uint32_t part_steps) : steps_(steps), part_steps_(part_steps) {
  find_needed();
  entries_.resize(part_count(steps.size(), part_steps));
  if (entries_.size() > 1) find_entries();
}

void Flow::find_needed() {
  needed_.resize(steps_.size());
  // Backwards; again while loops bring something new.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = steps_.size(); at-- > 0;) {
      const Step& step = steps_[at];
      bool before = false;
      switch (step.op) {
        case Op::clear_condition:
        case Op::test: break;
        case Op::jump_if:
        case Op::negate:
        case Op::keep_condition:
        case Op::absorb_or:
        case Op::absorb_and: before = true; break;
        case Op::jump:
        case Op::need: before = needed_[step.target]; break;
        case Op::fetch_next:
        case Op::select_again:
        case Op::jump_unless_found: before = needed_[step.target] || needed_[at + 1]; break;
        case Op::jump_found: {
          before = needed_[step.target];
          const std::uint32_t cases = selector_cases(steps_, step.a);
          for (std::uint32_t one = 1; one <= cases; ++one) before = before || needed_[at + one];
          break;
        }
        case Op::test_suspend: before = needed_[at + 1]; break;
        default: before = !abi::ends(step.op) && needed_[at + 1]; break;
      }
      if (before && !needed_[at]) needed_[at] = changed = true;
    }
  }
}

Place Flow::follow(std::uint32_t at, Known known) const noexcept {
  for (;;) {
    if (!needed_[at]) known = Known::any;
    const Step& step = steps_[at];
    switch (step.op) {
      case Op::jump: at = step.target; break;
      case Op::jump_if: at = (step.a >> static_cast<unsigned>(known) & 1) != 0 ? step.target : at + 1; break;
      case Op::clear_condition:
        known = Known::no;
        ++at;
        break;
      case Op::negate:
        known = negated(known);
        ++at;
        break;
      default: return {at, known};
    }
  }
}

// All places that may come next, and some of them more than once.
template <class Visit>
void Flow::each_next(Place place, Visit visit) const {
  const auto [at, known] = place;
  const Step& step = steps_[at];
  const auto to = [&](std::uint32_t next, Known with) { visit(follow(next, with)); };
  if (abi::ends(step.op)) return;
  switch (step.op) {
    case Op::test:
      for (const Known answer : {Known::no, Known::yes, Known::unknown}) to(at + 1, answer);
      return;
    case Op::absorb_or:
    case Op::absorb_and:
      for (const Known other : {Known::no, Known::yes, Known::unknown}) to(at + 1, absorbed(step.op, known, other));
      return;
    case Op::fetch_next:
    case Op::select_again:
    case Op::jump_unless_found: to(step.target, known); break;
    case Op::jump_found: {
      to(step.target, known);
      const std::uint32_t cases = selector_cases(steps_, step.a);
      for (std::uint32_t one = 1; one <= cases; ++one) to(at + one, known);
      return;
    }
    default: break;
  }
  to(at + 1, known);
}

// Walks all that can be reached, and numbers what is reached from another part. Resume points are reached from the
// first part, where each run begins.
void Flow::find_entries() {
  std::map<Place, bool> seen;
  std::vector<Place> work;
  std::uint32_t from = 0;
  const auto reach = [&](Place place) {
    const std::uint32_t part = part_of(place.first);
    if (part != from && numbers_.emplace(place, static_cast<std::uint32_t>(entries_[part].size())).second) {
      entries_[part].push_back(place);
    }
    if (seen.emplace(place, true).second) work.push_back(place);
  };
  reach(follow(0, Known::no));
  for (std::uint32_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    if (step.op != Op::need && step.op != Op::test_suspend) continue;
    const std::uint32_t behind = step.op == Op::need ? step.target : at + 1;
    for (const Known known : {Known::no, Known::yes, Known::unknown}) reach(follow(behind, known));
  }
  while (!work.empty()) {
    const Place place = work.back();
    work.pop_back();
    from = part_of(place.first);
    each_next(place, reach);
  }
}

}  // namespace hawser::codegen
