// Writes the steps of one function.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/finalise/program_writer.h"

namespace hawser::compiler {

abi::Constant index_constant(abi::Constant::Kind kind, std::uint32_t index);

class FunctionWriter {
 public:
  FunctionWriter(ProgramWriter& program, Draft& draft, const ir::Function& function)
      : program_(program), draft_(draft), function_(function) {}

  void write();

 private:
  using Label = Draft::Label;
  using Register = std::uint32_t;

  void instruction(const ir::Instruction& one);
  void act(const ir::Instruction& one);
  // Of `block`; `next` stands behind it.
  void terminator(const ir::Terminator& one, ir::BlockId block, ir::BlockId next);
  void branch(const ir::Terminator& one, ir::BlockId next);
  Label at(ir::BlockId block) const { return blocks_[block.index]; }

  // match.cpp
  void match(const ir::Instruction& one);
  Draft::Operands fetch(const ir::Expression& expression, Register reg, bool every);
  void converters(const ir::Expression& expression, Register reg);
  void cast(abi::SampleType type, Register reg, abi::Match match);
  void test(Register reg, abi::Match match, ir::SetId set);

  // select.cpp
  struct Select {
    std::uint16_t selector = 0;
    Label again;
  };
  std::uint16_t select_tests(const ir::Terminator& one, ir::BlockId block);
  void look_up(ir::ExpressionId id, const std::vector<abi::ChoiceCase>& cases, std::uint16_t selector);
  void select(const ir::Terminator& one, ir::BlockId block);
  void select_backend(const ir::Terminator& one, ir::BlockId block);
  void again(const ir::Terminator& one);

  std::uint32_t constant(const ir::Value& value) { return draft_.constant(program_.constant(value)); }
  const ir::Expression& expression(ir::ExpressionId id) const { return program_.module().expression(id); }
  std::uint8_t response_flag() const noexcept { return function_.in_response() ? abi::fetch_response : 0; }

  ProgramWriter& program_;
  Draft& draft_;
  const ir::Function& function_;
  std::vector<Label> blocks_;
  std::unordered_map<std::uint32_t, Select> selects_;  // by the block that each ends
};

}  // namespace hawser::compiler
