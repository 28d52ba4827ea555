// The steps of one function while they are written: with labels for targets and virtual registers.
//
// Each use of a constant has a place of its own in the bindings, also where two are equal: so that rulesets of one shape
// have equal steps, and share one function, whatever their constants are.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::compiler {

class Draft {
 public:
  struct Label {
    std::uint32_t index = 0;
  };
  static constexpr std::uint32_t kNoRegister = 0xffff'ffff;

  // `registers`: those of the IR; take() gives others.
  Draft(std::uint32_t registers, bool suspend_everywhere)
      : registers_(registers), suspend_everywhere_(suspend_everywhere) {}

  struct Operands {
    std::uint32_t reg = kNoRegister;
    std::uint16_t a = 0;
    std::uint32_t b = abi::kNoConstant;
    std::uint8_t flags = 0;
  };
  void step(abi::Op op, const Operands& operands);
  void step(abi::Op op) { step(op, Operands{}); }
  void jump(abi::Op op, const Operands& operands, Label target);
  // One of the jumps behind a jump_found, between which nothing may stand.
  void listed_jump(Label target);

  Label label();
  void place(Label label);

  std::uint32_t constant(const abi::Constant& value);
  std::uint32_t take() { return registers_++; }
  std::uint16_t take_selector();

  // Labels become targets and registers few: the steps are complete.
  void finish();
  const std::vector<abi::Step>& steps() const noexcept { return steps_; }
  const std::vector<abi::Constant>& constants() const noexcept { return constants_; }
  std::uint16_t registers() const noexcept { return registers_used_; }
  std::uint16_t resume_points() const noexcept { return resume_points_; }
  std::uint16_t selectors() const noexcept { return selectors_; }

 private:
  void push(const abi::Step& step, std::uint32_t reg);

  std::uint32_t registers_;
  bool suspend_everywhere_;
  std::vector<abi::Step> steps_;
  std::vector<std::uint32_t> step_registers_;  // the virtual register of each step
  std::vector<abi::Constant> constants_;
  std::vector<std::uint32_t> labels_;  // where each stands
  std::vector<std::uint32_t> jumps_;   // steps whose target is still a label
  std::uint16_t registers_used_ = 0;
  std::uint16_t resume_points_ = 0;
  std::uint16_t selectors_ = 0;
};

}  // namespace hawser::compiler
