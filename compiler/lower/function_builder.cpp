#include "compiler/lower/function_builder.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace hawser::compiler {
namespace {

constexpr std::uint32_t kNotPlaced = 0xffff'ffff;

}  // namespace

void FunctionBuilder::push(const abi::Step& step) {
  if (suspend_everywhere_) {
    steps_.push_back({abi::Op::test_suspend, 0, 0, 0, 0, 0, 0});
    ++resume_points_;
  }
  if (step.op == abi::Op::need) ++resume_points_;
  steps_.push_back(step);
}

void FunctionBuilder::step(abi::Op op, const Operands& operands) {
  push({op, operands.flags, operands.reg, operands.a, 0, operands.b, 0});
}

void FunctionBuilder::jump(abi::Op op, const Operands& operands, Label target) {
  push({op, operands.flags, operands.reg, operands.a, 0, operands.b, target.index});
  jumps_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
}

FunctionBuilder::Label FunctionBuilder::label() {
  labels_.push_back(kNotPlaced);
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

void FunctionBuilder::place(Label label) {
  HAWSER_CHECK(labels_[label.index] == kNotPlaced);
  labels_[label.index] = static_cast<std::uint32_t>(steps_.size());
}

std::uint32_t FunctionBuilder::constant(const abi::Constant& value) {
  constants_.push_back(value);
  return static_cast<std::uint32_t>(constants_.size() - 1);
}

FunctionBuilder::Register FunctionBuilder::take() {
  const Register reg = registers_++;
  registers_max_ = std::max(registers_max_, registers_);
  return reg;
}

void FunctionBuilder::give(Register reg) {
  HAWSER_CHECK(reg + 1 == registers_);
  --registers_;
}

const std::vector<abi::Step>& FunctionBuilder::finish() {
  for (const std::uint32_t at : jumps_) {
    const std::uint32_t target = labels_[steps_[at].target];
    HAWSER_CHECK(target < steps_.size());
    steps_[at].target = target;
  }
  jumps_.clear();
  return steps_;
}

}  // namespace hawser::compiler
