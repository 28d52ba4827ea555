// Leaves out what is never reached, never read, or stands between two blocks for nothing.
//
// Takes for granted: fetches, converters and tests do nothing but answer.
// Leaves behind:     every block can be reached; a block that only one jump leads to is part of where it comes from.
#include <algorithm>

#include "compiler/opt/flow.h"
#include "compiler/opt/opt.h"

namespace hawser::opt {
namespace {

using ir::Block;
using ir::BlockId;
using ir::Function;
using ir::Op;

bool only_answers(Op op) noexcept { return op == Op::sample || op == Op::constant || op == Op::keep; }

std::vector<std::uint32_t> count_reads(const Function& function) {
  std::vector<std::uint32_t> reads(function.registers, 0);
  for (const Block& block : function.blocks) {
    for (const ir::Instruction& one : block.instructions) {
      if (ir::reads_register(one)) ++reads[one.reg.index];
    }
    if (ir::has(block.terminator, ir::operand::reg)) ++reads[block.terminator.reg.index];
  }
  return reads;
}

// Registers that nobody reads, from behind: what is left out may have been the last reader of another one. A text is
// left out whole.
bool remove_unread(Function& function) {
  std::vector<std::uint32_t> reads = count_reads(function);
  bool changed = false;
  std::vector<BlockId> order = ir::in_order(function);
  std::reverse(order.begin(), order.end());
  for (const BlockId id : order) {
    std::vector<ir::Instruction>& all = function.blocks[id].instructions;
    std::vector<ir::Instruction> kept;
    bool in_unread_text = false;
    for (std::size_t at = all.size(); at-- > 0;) {
      ir::Instruction& one = all[at];
      const bool unread = ir::assigns(one) && reads[one.reg.index] == 0;
      if (one.op == Op::text_end && unread) in_unread_text = true;
      const bool of_text = one.op == Op::text_begin || one.op == Op::text_constant || one.op == Op::text_separator ||
                           one.op == Op::text_sample || one.op == Op::text_alias || one.op == Op::text_end;
      if ((in_unread_text && of_text) || (unread && only_answers(one.op))) {
        if (one.op == Op::text_begin) in_unread_text = false;
        if (ir::reads_register(one)) --reads[one.reg.index];
        changed = true;
      } else {
        kept.push_back(std::move(one));
      }
    }
    std::reverse(kept.begin(), kept.end());
    all = std::move(kept);
  }
  return changed;
}

// Tests whose answer nobody asks for.
bool remove_unasked(Function& function) {
  const std::vector<bool> matters = condition_matters(function);
  bool changed = false;
  for (const BlockId id : ir::in_order(function)) {
    Block& block = function.blocks[id];
    bool asked = block.terminator.end == ir::End::branch;
    ir::for_each_edge(block.terminator, [&](BlockId to) { asked = asked || matters[to.index]; });
    std::vector<ir::Instruction> kept;
    for (std::size_t at = block.instructions.size(); at-- > 0;) {
      ir::Instruction& one = block.instructions[at];
      const bool sets = one.op == Op::match || one.op == Op::match_register || one.op == Op::clear;
      const bool changes = one.op == Op::negate || one.op == Op::absorb_or || one.op == Op::absorb_and;
      if ((sets || changes) && !asked) {
        changed = true;
        continue;
      }
      if (sets) asked = false;
      if (one.op == Op::keep) asked = true;
      kept.push_back(std::move(one));
    }
    std::reverse(kept.begin(), kept.end());
    block.instructions = std::move(kept);
  }
  return changed;
}

// Branches that lead to one place, and edges to blocks that only jump on.
bool shorten_edges(Function& function) {
  bool changed = false;
  for (Block& block : function.blocks) {
    ir::Terminator& end = block.terminator;
    if (ir::goes_back(end)) continue;
    ir::for_each_edge(end, [&](BlockId& edge) {
      while (function.blocks[edge].instructions.empty() && function.blocks[edge].terminator.end == ir::End::jump) {
        edge = function.blocks[edge].terminator.target;
        changed = true;
      }
    });
    if (end.end != ir::End::branch || end.target != end.otherwise) continue;
    end = ir::jump(end.target);
    changed = true;
  }
  return changed;
}

bool join_blocks(Function& function) {
  const std::vector<std::uint32_t> edges = ir::count_edges_to(function);
  bool changed = false;
  for (const BlockId id : ir::in_order(function)) {
    for (;;) {
      Block& block = function.blocks[id];
      const BlockId next = block.terminator.target;
      if (block.terminator.end != ir::End::jump || edges[next.index] != 1 || next == id) break;
      Block rest = std::move(function.blocks[next]);
      function.blocks[next] = Block{{}, ir::ends(ir::End::next)};
      block.instructions.insert(block.instructions.end(), std::make_move_iterator(rest.instructions.begin()),
                                std::make_move_iterator(rest.instructions.end()));
      block.terminator = std::move(rest.terminator);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool remove_dead(ir::Module&, ir::Function& function) {
  bool changed = shorten_edges(function);
  const std::size_t blocks = function.blocks.size();
  ir::remove_unreachable(function);
  if (join_blocks(function)) ir::remove_unreachable(function);
  changed = changed || function.blocks.size() != blocks;
  changed = remove_unasked(function) || changed;
  return remove_unread(function) || changed;
}

}  // namespace hawser::opt
