#include "tests/differential/edited_program.h"

#include <deque>

#include "runtime/abi/rows.h"

namespace hawser::test {
namespace {

using abi::Op;

constexpr std::uint16_t kAlways = 7;  // of any truth
constexpr std::uint16_t kNever = 0;

template <class T>
std::span<T> edit_rows(std::vector<std::byte>& bytes, abi::Rows<T> rows) {
  return {reinterpret_cast<T*>(bytes.data() + rows.at), rows.count};
}

// What follows a step: itself and its neighbour, its target, or nothing.
struct Exits {
  bool neighbour = false;
  bool target = false;
};
Exits exits_of(const abi::Step& step) {
  switch (step.op) {
    case Op::next:
    case Op::stop:
    case Op::reply:
    case Op::redirect:
    case Op::use_backend:
    case Op::use_backend_named:
    case Op::emit: return {};
    case Op::jump:
    case Op::need: return {.target = true};
    case Op::fetch_next: return {.neighbour = true};  // in the end: its loop ends by itself
    default: return {.neighbour = true, .target = (abi::row(step.op).uses & abi::use::target) != 0};
  }
}

}  // namespace

abi::Image edit_program(abi::ImageView program, std::optional<std::uint32_t> keep, const Turned& turned) {
  std::vector<std::byte> bytes(program.bytes().begin(), program.bytes().end());
  const auto& root = program.root<abi::Program>();
  const std::span<abi::Step> steps = edit_rows(bytes, root.steps);
  for (const auto& [at, jumps] : turned) steps[at].a = jumps ? kAlways : kNever;
  for (abi::Function& function : edit_rows(bytes, root.functions)) {
    for (std::uint32_t at = 0; at < function.steps; ++at) {
      abi::Step& step = steps[function.first_step + at];
      if (step.op != Op::test_suspend || keep == function.first_step + at) continue;
      step = {.op = Op::jump, .target = at + 1};
      --function.resume_points;
    }
  }
  return abi::Image(std::move(bytes));
}

std::optional<Turned> way_to(abi::ImageView program, const abi::Function& function, std::uint32_t step) {
  const auto steps = program.rows(program.root<abi::Program>().steps).subspan(function.first_step, function.steps);
  const std::uint32_t goal = step - function.first_step;
  std::map<std::uint32_t, std::uint32_t> came_from = {{0, 0}};
  std::deque<std::uint32_t> waiting = {0};
  for (; !waiting.empty() && came_from.count(goal) == 0; waiting.pop_front()) {
    const std::uint32_t at = waiting.front();
    const auto visit = [&](std::uint32_t next) {
      if (came_from.try_emplace(next, at).second) waiting.push_back(next);
    };
    const Exits exits = exits_of(steps[at]);
    if (exits.neighbour) visit(at + 1);
    if (exits.target) visit(steps[at].target);
  }
  if (came_from.count(goal) == 0) return std::nullopt;
  Turned turned;
  for (std::uint32_t at = goal; at != 0; at = came_from[at]) {
    const std::uint32_t before = came_from[at];
    if (exits_of(steps[before]).neighbour && exits_of(steps[before]).target) {
      if (steps[before].op != Op::jump_if) return std::nullopt;
      turned[function.first_step + before] = at != before + 1;
    }
  }
  return turned;
}

}  // namespace hawser::test
