// Functions: what one proxy does at one entry point, as blocks.
//
// A block is instructions and one terminator; nothing falls through. The first block is the beginning. Blocks
// form no loop but by the edges back of `need` and `again`. Their order means nothing: finalise puts them so
// that all other targets lie ahead.
#pragma once

#include <vector>

#include "compiler/ir/instruction.h"

namespace hawser::ir {

struct Block {
  std::vector<Instruction> instructions;
  Terminator terminator;
};

struct Function {
  ProxyIndex proxy;
  abi::EntryPoint point{};
  Store<Block, BlockId> blocks;
  std::uint32_t registers = 0;

  static constexpr BlockId kBegin{0};

  RegisterId add_register() { return RegisterId(registers++); }
  BlockId add_block() { return blocks.add({}); }

  // Where data may still come, an answer may be unknown, and the run waits for it.
  bool waits() const noexcept { return point == abi::EntryPoint::content || point == abi::EntryPoint::tcp_response; }
  bool in_response() const noexcept {
    return point == abi::EntryPoint::http_response || point == abi::EntryPoint::http_after_response ||
           point == abi::EntryPoint::tcp_response;
  }
};

// The blocks that can be reached, each before all that it goes to (edges back left out), and each right before its
// `otherwise` where this can be.
std::vector<BlockId> in_order(const Function& function);

// How many edges lead to each block, by its index; the beginning has one more.
std::vector<std::uint32_t> count_edges_to(const Function& function);

// Whoever went to `from` goes to `to`.
void redirect_edges(Function& function, BlockId from, BlockId to);

// Cuts a block in two: what stands from instruction `at` on moves with the terminator to the new block, whose id is
// returned; the old one ends with a jump there. Edges of `again` to it follow the terminator.
BlockId split(Function& function, BlockId block, std::size_t at);

// Leaves out blocks that cannot be reached; the ids of the others change.
void remove_unreachable(Function& function);

}  // namespace hawser::ir
