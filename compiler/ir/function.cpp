#include "compiler/ir/function.h"

#include <algorithm>

namespace hawser::ir {
namespace {

// The edges ahead, in the order in which a depth-first walk visits them: what is visited last stands first.
std::vector<BlockId> edges_ahead(const Terminator& terminator) {
  std::vector<BlockId> edges;
  if (goes_back(terminator)) return edges;
  for_each_edge(terminator, [&](BlockId target) { edges.push_back(target); });
  if (terminator.end == End::select) std::reverse(edges.begin(), edges.end());
  return edges;
}

}  // namespace

std::vector<BlockId> in_order(const Function& function) {
  struct Visit {
    BlockId block;
    std::vector<BlockId> edges;
    std::size_t next = 0;
  };
  std::vector<BlockId> order;
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<Visit> stack;
  const auto enter = [&](BlockId block) {
    if (seen[block.index]) return;
    seen[block.index] = true;
    stack.push_back({block, edges_ahead(function.blocks[block].terminator)});
  };
  if (!function.blocks.empty()) enter(Function::kBegin);
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next < visit.edges.size()) {
      enter(visit.edges[visit.next++]);
    } else {
      order.push_back(visit.block);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::uint32_t> count_edges_to(const Function& function) {
  std::vector<std::uint32_t> counts(function.blocks.size(), 0);
  if (!counts.empty()) ++counts[Function::kBegin.index];
  for (const Block& block : function.blocks) {
    for_each_edge(block.terminator, [&](BlockId target) { ++counts[target.index]; });
  }
  return counts;
}

void redirect_edges(Function& function, BlockId from, BlockId to) {
  for (Block& block : function.blocks) {
    for_each_edge(block.terminator, [&](BlockId& target) {
      if (target == from) target = to;
    });
  }
}

BlockId split(Function& function, BlockId block, std::size_t at) {
  const BlockId rest = function.add_block();
  Block& first = function.blocks[block];
  Block& second = function.blocks[rest];
  HAWSER_CHECK(at <= first.instructions.size());
  const auto cut = first.instructions.begin() + static_cast<std::ptrdiff_t>(at);
  second.instructions.assign(std::make_move_iterator(cut), std::make_move_iterator(first.instructions.end()));
  first.instructions.erase(cut, first.instructions.end());
  second.terminator = std::move(first.terminator);
  first.terminator = jump(rest);
  for (Block& other : function.blocks) {
    if (other.terminator.end == End::again && other.terminator.target == block) other.terminator.target = rest;
  }
  return rest;
}

void remove_unreachable(Function& function) {
  std::vector<bool> reachable(function.blocks.size(), false);
  for (const BlockId block : in_order(function)) reachable[block.index] = true;
  std::vector<BlockId> moved(function.blocks.size());
  Store<Block, BlockId> kept;
  for (std::size_t at = 0; at < reachable.size(); ++at) {
    if (reachable[at]) moved[at] = kept.add(std::move(function.blocks[BlockId(static_cast<std::uint32_t>(at))]));
  }
  for (Block& block : kept) {
    for_each_edge(block.terminator, [&](BlockId& target) { target = moved[target.index]; });
  }
  function.blocks = std::move(kept);
}

}  // namespace hawser::ir
