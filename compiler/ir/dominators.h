// Which blocks every way to a block has passed.
#pragma once

#include <vector>

#include "compiler/ir/function.h"

namespace hawser::ir {

// Of a function whose edges are sound; unreachable blocks have no place in it.
class Dominators {
 public:
  explicit Dominators(const Function& function);

  const std::vector<BlockId>& order() const noexcept { return order_; }
  bool reachable(BlockId block) const noexcept { return position_[block.index] != kNone; }
  // The place in the order.
  std::uint32_t position(BlockId block) const noexcept { return position_[block.index]; }
  // Whether every way to `block` has passed `by`; a block dominates itself. Both are reachable.
  bool dominates(BlockId by, BlockId block) const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  void find_parents(const Function& function);
  void number_tree();

  std::vector<BlockId> order_;
  std::vector<std::uint32_t> position_;  // by block
  // By position:
  std::vector<std::uint32_t> parent_;  // the closest block that every way here has passed
  std::vector<std::uint32_t> begin_;   // the tree's numbers: a block dominates those within its range
  std::vector<std::uint32_t> end_;
};

}  // namespace hawser::ir
