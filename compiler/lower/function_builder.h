// One function while it is written: steps with labels, registers, and the constants that its bindings will hold.
//
// Each use of a constant has a place of its own in the bindings, also where two are equal: so that rulesets of one shape
// have equal steps, and share one function, whatever their constants are.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::compiler {

class FunctionBuilder {
 public:
  struct Label {
    std::uint32_t index = 0;
  };
  using Register = std::uint16_t;

  explicit FunctionBuilder(bool suspend_everywhere) : suspend_everywhere_(suspend_everywhere) {}

  struct Operands {
    Register reg = 0;
    std::uint16_t a = 0;
    std::uint32_t b = abi::kNoConstant;
    std::uint8_t flags = 0;
  };
  void step(abi::Op op, const Operands& operands);
  void step(abi::Op op) { step(op, Operands{}); }
  void jump(abi::Op op, const Operands& operands, Label target);

  Label label();
  void place(Label label);

  std::uint32_t constant(const abi::Constant& value);

  // Registers are a stack: the last one taken is given back first.
  Register take();
  void give(Register reg);

  // Labels become targets; the steps are complete.
  const std::vector<abi::Step>& finish();
  const std::vector<abi::Constant>& constants() const noexcept { return constants_; }
  std::uint16_t registers() const noexcept { return registers_max_; }
  std::uint16_t resume_points() const noexcept { return resume_points_; }

 private:
  void push(const abi::Step& step);

  bool suspend_everywhere_;
  std::vector<abi::Step> steps_;
  std::vector<abi::Constant> constants_;
  std::vector<std::uint32_t> labels_;  // where each stands
  std::vector<std::uint32_t> jumps_;   // steps whose target is still a label
  Register registers_ = 0;
  Register registers_max_ = 0;
  std::uint16_t resume_points_ = 0;
};

// Registers for the length of a scope.
class TakenRegister {
 public:
  explicit TakenRegister(FunctionBuilder& function) : function_(function), reg_(function.take()) {}
  ~TakenRegister() { function_.give(reg_); }
  TakenRegister(const TakenRegister&) = delete;
  TakenRegister& operator=(const TakenRegister&) = delete;
  operator FunctionBuilder::Register() const noexcept { return reg_; }  // NOLINT(google-explicit-constructor)

 private:
  FunctionBuilder& function_;
  FunctionBuilder::Register reg_;
};

}  // namespace hawser::compiler
