// Writes the native function of a part of a function of a Program, as LLVM IR.
//
// One block stands for a step together with what the condition is before it (no, yes, unknown, or not needed), so the
// condition is never in memory or in a register: a test branches to the step behind it as it is with `yes`, `no` or
// `unknown`, and jumps on the condition cost nothing. A step has a block for each condition with which it can be
// reached.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/codegen/facts.h"
#include "compiler/codegen/flow.h"
#include "runtime/abi/native.h"

namespace hawser::codegen {

class Emitter {
 public:
  Emitter(const Facts& facts, llvm::Module& module);

  // Adds part `part` of function `index` to the module under `name`.
  void emit(std::size_t index, const Flow& flow, std::uint32_t part, const std::string& name);

 private:
  // The blocks that a test may go on to.
  struct Answers {
    llvm::BasicBlock* no;
    llvm::BasicBlock* yes;
    llvm::BasicBlock* unknown;
  };

  void entry();
  // Numbers, ascending, and where each leads.
  using Ways = std::vector<std::pair<std::uint32_t, llvm::BasicBlock*>>;
  void resume_points(Ways& ways);
  void choose(llvm::Value* number, std::span<const Ways::value_type> ways, llvm::BasicBlock* otherwise);
  void step(Place place, llvm::BasicBlock* block);
  void absorb(Place place, const abi::Step& step);
  void test(std::uint32_t at, const abi::Step& step);
  void load(const abi::Step& step);
  void select_begin(const abi::Step& step);
  void select_again(Place place, const abi::Step& step);
  void jump_found(Place place, const abi::Step& step);
  void cast(Place place, const abi::Step& step);

  // What tests are made of; most end the current block.
  void guard(std::uint32_t set_constant, llvm::BasicBlock* otherwise);
  void need_type(const abi::Step& step, abi::SampleType first, unsigned types, llvm::BasicBlock* absent,
                 llvm::BasicBlock* otherwise);
  void test_found(const abi::Step& step, const Answers& answers);
  void test_boolean(const abi::Step& step, const Answers& answers);
  void test_boolean_or_pending(const abi::Step& step, const Answers& answers);
  void if_pending(const abi::Step& step, llvm::BasicBlock* pending, llvm::BasicBlock* settled);
  void in_ranges(llvm::Value* value, const Comparison& comparison, const Answers& answers);
  void in_networks(const abi::Step& step, const Comparison& comparison, const Answers& answers);
  void in_wide_networks(const abi::Step& step, const Comparison& comparison, const Answers& answers);
  llvm::BasicBlock* if_wide(const abi::Step& step, const Comparison& comparison, const Answers& answers,
                            llvm::BasicBlock* otherwise);
  void compare_bound(const abi::Step& step, const Answers& answers, llvm::BasicBlock* fitting);
  llvm::Value* bound_pattern(const abi::Step& step);
  llvm::Value* in_bound_network(const abi::Step& step, llvm::Value* pattern);
  void compare_texts(const abi::Step& step, const Comparison& comparison, const Answers& answers);
  llvm::Value* text_size(const abi::Step& step);
  llvm::Value* number_of(const abi::Step& step);
  llvm::Value* equal_bytes(llvm::Value* data, const std::string& bytes, bool ignore_case);
  void yes_if(llvm::Value* condition, const Answers& answers);

  // Goes to the block of a step, or of where the jumps there lead.
  llvm::BasicBlock* to(std::uint32_t at, Known known);
  llvm::BasicBlock* leave(Place place);
  void branch_on_truth(llvm::Value* truth, const Answers& answers);
  Answers answers(std::uint32_t at);
  llvm::Value* helper(abi::Op op, std::uint32_t at);

  llvm::BasicBlock* new_block();       // beside the current step
  llvm::BasicBlock* new_cold_block();  // at the function's end
  void place_blocks();

  llvm::Value* field(llvm::Value* base, std::uint64_t offset);
  llvm::Value* register_field(std::uint32_t reg, std::uint64_t offset);
  llvm::Value* selector_field(std::uint32_t selector, std::uint64_t offset);
  llvm::Value* found(const abi::Step& step);
  llvm::Value* call_field(std::uint64_t offset);  // loads a pointer of the NativeCall
  llvm::Value* bound(std::uint32_t constant, std::uint64_t offset);

  const Facts& facts_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::FunctionType* type_;  // of native functions and helpers alike

  // Of the function at work:
  std::size_t index_ = 0;
  std::span<const abi::Step> steps_;
  const Flow* flow_ = nullptr;
  std::uint32_t part_ = 0;
  llvm::Function* function_ = nullptr;
  llvm::Value* call_ = nullptr;
  llvm::Value* registers_ = nullptr;
  llvm::Value* constants_ = nullptr;
  llvm::Value* changed_ = nullptr;
  llvm::Value* helpers_ = nullptr;
  using Blocks = std::vector<llvm::BasicBlock*>;
  std::map<Place, Blocks> blocks_;  // the first is the one to go to
  std::vector<Place> work_;         // those that have no code yet
  Blocks entry_;
  Blocks cold_;
  Blocks* current_ = nullptr;  // where new blocks belong
};

}  // namespace hawser::codegen
