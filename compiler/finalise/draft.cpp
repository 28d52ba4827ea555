#include "compiler/finalise/draft.h"

#include "compiler/finalise/registers.h"
#include "runtime/base/check.h"

namespace hawser::compiler {
namespace {

constexpr std::uint32_t kNotPlaced = 0xffff'ffff;

}  // namespace

void Draft::push(const abi::Step& step, std::uint32_t reg) {
  steps_.push_back(step);
  step_registers_.push_back(reg);
  if (step.op == abi::Op::need || step.op == abi::Op::test_suspend) ++resume_points_;
}

void Draft::step(abi::Op op, const Operands& operands) {
  if (suspend_everywhere_) push({abi::Op::test_suspend, 0, 0, 0, 0, 0, 0}, kNoRegister);
  push({op, operands.flags, 0, operands.a, 0, operands.b, 0}, operands.reg);
}

void Draft::jump(abi::Op op, const Operands& operands, Label target) {
  step(op, operands);
  steps_.back().target = target.index;
  jumps_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
}

void Draft::listed_jump(Label target) {
  push({abi::Op::jump, 0, 0, 0, 0, abi::kNoConstant, target.index}, kNoRegister);
  jumps_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
}

std::uint16_t Draft::take_selector() {
  HAWSER_CHECK(selectors_ < 0xffff);
  return selectors_++;
}

Draft::Label Draft::label() {
  labels_.push_back(kNotPlaced);
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

void Draft::place(Label label) {
  HAWSER_CHECK(labels_[label.index] == kNotPlaced);
  labels_[label.index] = static_cast<std::uint32_t>(steps_.size());
}

std::uint32_t Draft::constant(const abi::Constant& value) {
  constants_.push_back(value);
  return static_cast<std::uint32_t>(constants_.size() - 1);
}

void Draft::finish() {
  for (const std::uint32_t at : jumps_) {
    const std::uint32_t target = labels_[steps_[at].target];
    HAWSER_CHECK(target < steps_.size());
    steps_[at].target = target;
  }
  jumps_.clear();
  registers_used_ = give_registers(steps_, step_registers_, registers_);
}

}  // namespace hawser::compiler
