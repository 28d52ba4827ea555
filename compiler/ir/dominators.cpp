#include "compiler/ir/dominators.h"

namespace hawser::ir {

Dominators::Dominators(const Function& function) : order_(in_order(function)) {
  position_.assign(function.blocks.size(), kNone);
  for (std::uint32_t at = 0; at < order_.size(); ++at) position_[order_[at].index] = at;
  find_parents(function);
  number_tree();
}

// Edges back say nothing new: their source is dominated by their target. So one walk in order is enough. Of a function that is
// not verified yet, one may lead to a block that nothing else reaches.
void Dominators::find_parents(const Function& function) {
  parent_.assign(order_.size(), kNone);
  for (std::uint32_t at = 0; at < order_.size(); ++at) {
    for_each_edge(function.blocks[order_[at]].terminator, [&](BlockId to) {
      const std::uint32_t target = position_[to.index];
      if (target <= at || target == kNone) return;
      std::uint32_t one = at;
      std::uint32_t other = parent_[target] == kNone ? at : parent_[target];
      while (one != other) {
        std::uint32_t& later = one > other ? one : other;
        later = parent_[later];
      }
      parent_[target] = one;
    });
  }
}

// Children stand behind their parents, so counting from the end gives the size of each tree.
void Dominators::number_tree() {
  std::vector<std::uint32_t> size(order_.size(), 1);
  for (std::size_t at = order_.size(); at-- > 1;) size[parent_[at]] += size[at];
  begin_.assign(order_.size(), 0);
  end_.assign(order_.size(), 0);
  std::vector<std::uint32_t> next(order_.size(), 1);  // the first free number within each tree
  for (std::size_t at = 0; at < order_.size(); ++at) {
    if (at > 0) {
      begin_[at] = begin_[parent_[at]] + next[parent_[at]];
      next[parent_[at]] += size[at];
    }
    end_[at] = begin_[at] + size[at];
  }
}

bool Dominators::dominates(BlockId by, BlockId block) const noexcept {
  const std::uint32_t number = begin_[position_[block.index]];
  return begin_[position_[by.index]] <= number && number < end_[position_[by.index]];
}

}  // namespace hawser::ir
