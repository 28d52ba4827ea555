#include "compiler/opt/flow.h"

#include <algorithm>

#include "compiler/ir/effects.h"

namespace hawser::opt {
namespace {

using ir::Block;
using ir::BlockId;
using ir::Function;
using ir::Op;

bool sets_condition(Op op) noexcept { return op == Op::match || op == Op::match_register || op == Op::clear; }
bool reads_condition(Op op) noexcept {
  return op == Op::negate || op == Op::keep || op == Op::absorb_or || op == Op::absorb_and;
}

// What a block by itself says of the condition on the way into it; nothing when it passes it on.
std::optional<bool> reads_first(const Block& block) {
  for (const ir::Instruction& instruction : block.instructions) {
    if (reads_condition(instruction.op)) return true;
    if (sets_condition(instruction.op)) return false;
  }
  if (block.terminator.end == ir::End::branch) return true;
  return std::nullopt;
}

}  // namespace

std::optional<TailTest> tail_test(const Block& block) {
  const ir::Terminator& branch = block.terminator;
  if (branch.end != ir::End::branch) return std::nullopt;
  std::size_t at = block.instructions.size();
  bool negated = false;
  while (at > 0 && block.instructions[at - 1].op == Op::negate) {
    --at;
    negated = !negated;
  }
  if (at == 0 || block.instructions[at - 1].op != Op::match) return std::nullopt;
  const auto leads_to = [&](bool answer) {
    return (branch.mask & (answer != negated ? ir::kYes : ir::kNo)) != 0 ? branch.target : branch.otherwise;
  };
  return TailTest{at - 1, leads_to(true), leads_to(false)};
}

bool is_stable(const ir::Expression& expression) noexcept {
  return !abi::overlap(ir::reads(expression), abi::Effect::random);
}

std::vector<std::vector<BlockId>> ways_to(const Function& function) {
  std::vector<std::vector<BlockId>> ways(function.blocks.size());
  for (const BlockId from : ir::in_order(function)) {
    const ir::Terminator& terminator = function.blocks[from].terminator;
    if (ir::goes_back(terminator)) continue;
    ir::for_each_edge(terminator, [&](BlockId to) { ways[to.index].push_back(from); });
  }
  return ways;
}

std::vector<bool> condition_matters(const Function& function) {
  std::vector<bool> matters(function.blocks.size(), false);
  std::vector<BlockId> order = ir::in_order(function);
  std::reverse(order.begin(), order.end());
  // Once, and again as long as edges back bring something new.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BlockId id : order) {
      if (matters[id.index]) continue;
      const Block& block = function.blocks[id];
      bool read = false;
      if (const std::optional<bool> own = reads_first(block)) {
        read = *own;
      } else {
        ir::for_each_edge(block.terminator, [&](BlockId to) { read = read || matters[to.index]; });
      }
      if (!read) continue;
      matters[id.index] = true;
      changed = true;
    }
  }
  return matters;
}

}  // namespace hawser::opt
