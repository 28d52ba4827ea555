// The blocks of one function while they are written, from the first to the last, with labels for those to come.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/function.h"

namespace hawser::compiler {

class BlockBuilder {
 public:
  struct Label {
    std::uint32_t index = 0;
  };

  explicit BlockBuilder(ir::Function& function) : function_(function) { open(); }

  ir::Function& function() noexcept { return function_; }

  void push(ir::Instruction instruction);
  // Pushes an instruction that assigns a register of its own, and returns that.
  ir::RegisterId assign(ir::Op op);
  ir::RegisterId sample(ir::ExpressionId expression);
  ir::RegisterId constant(std::string text);

  // Of a place ahead.
  Label label();
  // If anything goes to the label, a block begins here; what stands before goes on in it.
  void place(Label label);
  // Begins a block here, to which `need` may come back.
  Label begin();

  // Ends the block. What follows a branch goes on where the condition is not in the mask.
  void branch(std::uint8_t mask, Label target);
  void need(Label target);
  void jump(Label target);
  void end(ir::Terminator terminator);  // without targets

  // Labels become blocks; the function is complete.
  void finish();

 private:
  struct Place {
    bool used = false;
    ir::BlockId block;
  };
  void open();
  ir::BlockId refer(Label label);

  ir::Function& function_;
  ir::BlockId block_;          // the one that is written; none behind an end
  std::vector<Place> labels_;  // where each stands; edges name labels until finish()
};

}  // namespace hawser::compiler
