// What passes ask of a function's blocks: tests at their ends, ways to them, whether the condition matters.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/ir/module.h"

namespace hawser::opt {

// A block's last `match`, where nothing but `negate` stands between it and the branch: `yes` is where its being true
// leads. Only for functions that do not wait: there no answer is unknown.
struct TailTest {
  std::size_t at = 0;  // its place among the instructions
  ir::BlockId yes, no;
};
std::optional<TailTest> tail_test(const ir::Block& block);

// Whether two evaluations of an expression, with nothing between that writes what it reads, give the same value.
bool is_stable(const ir::Expression& expression) noexcept;

// The blocks with an edge to each block, once an edge. Edges back are left out.
std::vector<std::vector<ir::BlockId>> ways_to(const ir::Function& function);

// For each block, whether the condition's value on the way into it may be read.
std::vector<bool> condition_matters(const ir::Function& function);

}  // namespace hawser::opt
