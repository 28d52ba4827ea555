// Control: blocks, jumps, the condition, calls of helpers. Comparisons stand in emitter_tests.cpp.
#include "compiler/codegen/emitter.h"

namespace hawser::codegen {
namespace {

using abi::NativeCall;
using abi::Op;
using abi::Sample;
using abi::SampleType;
using abi::Selector;
using abi::Step;
using abi::Truth;

Truth negated(Truth truth) noexcept {
  return truth == Truth::unknown ? truth : truth == Truth::yes ? Truth::no : Truth::yes;
}

// What code carries out itself where it changes no more than the way through the function.
bool is_control(Op op) noexcept {
  return op == Op::jump || op == Op::jump_if || op == Op::clear_condition || op == Op::negate;
}

}  // namespace

Emitter::Emitter(const Facts& facts, llvm::Module& module)
    : facts_(facts), module_(module), builder_(module.getContext()) {
  auto* const pointer = builder_.getPtrTy();
  auto* const number = builder_.getInt32Ty();
  type_ = llvm::FunctionType::get(number, {pointer, number}, false);
}

void Emitter::emit(std::size_t index, const std::string& name) {
  index_ = index;
  steps_ = facts_.steps(index);
  needed_ = condition_needed(steps_);
  blocks_.clear();
  work_.clear();
  entry_.clear();
  cold_.clear();
  function_ = llvm::Function::Create(type_, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->setAlignment(llvm::Align(abi::kNativeAlignment));
  call_ = function_->getArg(0);
  current_ = &entry_;
  entry();
  while (!work_.empty()) {
    const Place place = work_.back();
    work_.pop_back();
    current_ = &blocks_.at(place);
    step(place, current_->front());
  }
  place_blocks();
}

// Loads what all code uses, and goes to the resume point. Behind one, the condition is what it was.
void Emitter::entry() {
  llvm::BasicBlock* const block = new_block();
  builder_.SetInsertPoint(block);
  registers_ = call_field(offsetof(NativeCall, registers));
  changed_ = call_field(offsetof(NativeCall, changed));
  const std::uint16_t points = facts_.functions()[index_].resume_points;
  if (points == 0) {
    builder_.CreateBr(to(0, Known::no));
    return;
  }
  auto* const choice = builder_.CreateSwitch(function_->getArg(1), to(0, Known::no), points);
  std::uint32_t point = 0;
  for (std::uint32_t at = 0; at < steps_.size(); ++at) {
    const Op op = steps_[at].op;
    if (op != Op::test_suspend && op != Op::need) continue;
    const std::uint32_t behind = op == Op::need ? steps_[at].target : at + 1;
    llvm::BasicBlock* target = nullptr;
    if (needed_[behind]) {
      target = new_block();
      builder_.SetInsertPoint(target);
      auto* const kept = builder_.CreateLoad(builder_.getInt8Ty(), field(call_, offsetof(NativeCall, condition)));
      branch_on_truth(builder_.CreateZExt(kept, builder_.getInt32Ty()), answers(behind));
    } else {
      target = to(behind, Known::any);
    }
    choice->addCase(builder_.getInt32(++point), target);
  }
}

void Emitter::step(Place place, llvm::BasicBlock* block) {
  const auto [at, known] = place;
  const Step& step = steps_[at];
  builder_.SetInsertPoint(block);
  if (ends(step.op)) {
    if ((step.op == Op::need || step.op == Op::test_suspend) && known != Known::any) {
      builder_.CreateStore(builder_.getInt8(static_cast<std::uint8_t>(known)),
                           field(call_, offsetof(NativeCall, condition)));
    }
    builder_.CreateRet(builder_.getInt32(at));
    return;
  }
  switch (step.op) {
    case Op::test: return test(at, step);
    case Op::absorb_or:
    case Op::absorb_and: return absorb(place, step);
    case Op::fetch_next: {
      auto* const more = builder_.CreateICmpNE(helper(step.op, at), builder_.getInt32(0));
      builder_.CreateCondBr(more, to(step.target, known), to(at + 1, known));
      return;
    }
    case Op::keep_condition: {
      const auto head = static_cast<std::uint32_t>(SampleType::boolean) |
                        (known == Known::unknown ? 1u << (8 * offsetof(Sample, pending)) : 0);
      builder_.CreateStore(builder_.getInt32(head), register_field(step.reg, offsetof(Sample, type)));
      builder_.CreateStore(builder_.getInt64(known == Known::yes ? 1 : 0),
                           register_field(step.reg, offsetof(Sample, integer)));
      break;
    }
    case Op::load: load(step); break;
    case Op::select_begin: select_begin(step); break;
    case Op::select_again: return select_again(place, step);
    case Op::jump_found: return jump_found(place, step);
    case Op::jump_unless_found: {
      auto* const none = builder_.CreateICmpEQ(found(step), builder_.getInt32(abi::kNoCase));
      builder_.CreateCondBr(none, to(step.target, known), to(at + 1, known));
      return;
    }
    case Op::cast: return cast(place, step);
    default: helper(step.op, at); break;
  }
  builder_.CreateBr(to(at + 1, known));
}

// condition := condition or (and) register, where the condition is known and the register is read.
void Emitter::absorb(Place place, const Step& step) {
  const auto [at, known] = place;
  const bool either = step.op == Op::absorb_or;
  const Known decided = either ? Known::yes : Known::no;
  const Known neutral = either ? Known::no : Known::yes;
  if (known == decided) {
    builder_.CreateBr(to(at + 1, decided));
    return;
  }
  const auto with = [&](Known other) {
    return to(at + 1, other == decided || known == neutral ? other : Known::unknown);
  };
  const Answers answers{with(Known::no), with(Known::yes), with(Known::unknown)};
  auto* const pending = builder_.CreateLoad(builder_.getInt8Ty(), register_field(step.reg, offsetof(Sample, pending)));
  llvm::BasicBlock* const settled = new_block();
  builder_.CreateCondBr(builder_.CreateICmpNE(pending, builder_.getInt8(0)), answers.unknown, settled);
  builder_.SetInsertPoint(settled);
  test_boolean(step, answers);
}

void Emitter::load(const Step& step) {
  const auto kind = facts_.kind(index_, step.b);
  const bool number = kind == abi::Constant::Kind::integer;
  if (!number && kind != abi::Constant::Kind::text) {
    helper(step.op, static_cast<std::uint32_t>(&step - steps_.data()));
    return;
  }
  const auto head = static_cast<std::uint32_t>(number ? SampleType::sint : SampleType::string);
  builder_.CreateStore(builder_.getInt32(head), register_field(step.reg, offsetof(Sample, type)));
  auto* const word = builder_.getInt64Ty();
  if (number) {
    auto* const value = builder_.CreateLoad(word, bound(step.b, offsetof(abi::Constant, integer)));
    builder_.CreateStore(value, register_field(step.reg, offsetof(Sample, integer)));
    return;
  }
  constexpr std::uint64_t kText = offsetof(abi::Constant, text);
  auto* const half = builder_.getInt32Ty();
  auto* const from = builder_.CreateLoad(half, bound(step.b, kText + offsetof(abi::Text, at)));
  auto* const data = builder_.CreateGEP(builder_.getInt8Ty(), call_field(offsetof(NativeCall, image)),
                                        builder_.CreateZExt(from, word));
  builder_.CreateStore(data, register_field(step.reg, offsetof(Sample, bytes.data)));
  auto* const size = builder_.CreateLoad(half, bound(step.b, kText + offsetof(abi::Text, size)));
  builder_.CreateStore(size, register_field(step.reg, offsetof(Sample, bytes.size)));
}

void Emitter::select_begin(const Step& step) {
  builder_.CreateStore(builder_.getInt32(0), selector_field(step.a, offsetof(Selector, from)));
  builder_.CreateStore(builder_.getInt32(abi::kNoCase), selector_field(step.a, offsetof(Selector, found)));
}

void Emitter::select_again(Place place, const Step& step) {
  auto* const number = found(step);
  llvm::BasicBlock* const again = new_block();
  builder_.CreateCondBr(builder_.CreateICmpEQ(number, builder_.getInt32(abi::kNoCase)),
                        to(place.first + 1, place.second), again);
  builder_.SetInsertPoint(again);
  builder_.CreateStore(builder_.CreateAdd(number, builder_.getInt32(1)),
                       selector_field(step.a, offsetof(Selector, from)));
  builder_.CreateStore(builder_.getInt32(abi::kNoCase), selector_field(step.a, offsetof(Selector, found)));
  builder_.CreateBr(to(step.target, place.second));
}

// The jumps behind this step are where its cases lead.
void Emitter::jump_found(Place place, const Step& step) {
  const auto [at, known] = place;
  const std::uint32_t cases = selector_cases(steps_, step.a);
  auto* const choice = builder_.CreateSwitch(found(step), to(step.target, known), cases);
  for (std::uint32_t one = 0; one < cases; ++one) choice->addCase(builder_.getInt32(one), to(at + 1 + one, known));
}

// A sample that is absent or has the type already stays what it is.
void Emitter::cast(Place place, const Step& step) {
  const auto type = static_cast<SampleType>(step.a);
  llvm::BasicBlock* const behind = to(place.first + 1, place.second);
  if (type != SampleType::any) {
    llvm::BasicBlock* const other = new_cold_block();
    auto* const choice = builder_.CreateSwitch(
        builder_.CreateLoad(builder_.getInt8Ty(), register_field(step.reg, offsetof(Sample, type))), other, 2);
    choice->addCase(builder_.getInt8(static_cast<std::uint8_t>(SampleType::absent)), behind);
    if (type != SampleType::absent) choice->addCase(builder_.getInt8(static_cast<std::uint8_t>(type)), behind);
    builder_.SetInsertPoint(other);
    helper(Op::cast, place.first);
  }
  builder_.CreateBr(behind);
}

llvm::Value* Emitter::helper(Op op, std::uint32_t at) {
  auto* const pointer = builder_.getPtrTy();
  auto* const table = call_field(offsetof(NativeCall, helpers));
  auto* const entry = field(table, static_cast<std::uint64_t>(op) * sizeof(abi::NativeHelper));
  auto* const target = builder_.CreateLoad(pointer, entry);
  auto* const called = builder_.CreateCall(type_, target, {call_, builder_.getInt32(at)});
  called->setDoesNotThrow();
  return called;
}

// Where steps lead that only choose the way.
Emitter::Place Emitter::follow(std::uint32_t at, Known known) const {
  for (;;) {
    if (!needed_[at]) known = Known::any;
    const Step& step = steps_[at];
    if (!is_control(step.op)) return {at, known};
    switch (step.op) {
      case Op::jump: at = step.target; continue;
      case Op::jump_if: at = (step.a >> static_cast<unsigned>(known) & 1) != 0 ? step.target : at + 1; continue;
      case Op::clear_condition: known = Known::no; break;
      default: known = static_cast<Known>(negated(static_cast<Truth>(known))); break;
    }
    ++at;
  }
}

llvm::BasicBlock* Emitter::to(std::uint32_t at, Known known) {
  const Place place = follow(at, known);
  Blocks& blocks = blocks_[place];
  if (blocks.empty()) {
    blocks.push_back(llvm::BasicBlock::Create(module_.getContext(), "", function_));
    work_.push_back(place);
  }
  return blocks.front();
}

void Emitter::branch_on_truth(llvm::Value* truth, const Answers& answers) {
  auto* const choice = builder_.CreateSwitch(truth, answers.unknown, 2);
  choice->addCase(builder_.getInt32(static_cast<std::uint32_t>(Truth::no)), answers.no);
  choice->addCase(builder_.getInt32(static_cast<std::uint32_t>(Truth::yes)), answers.yes);
}

Emitter::Answers Emitter::answers(std::uint32_t at) {
  return {to(at, Known::no), to(at, Known::yes), to(at, Known::unknown)};
}

llvm::BasicBlock* Emitter::new_block() {
  return current_->emplace_back(llvm::BasicBlock::Create(module_.getContext(), "", function_));
}

llvm::BasicBlock* Emitter::new_cold_block() {
  return cold_.emplace_back(llvm::BasicBlock::Create(module_.getContext(), "", function_));
}

// In the order of the steps, so that most jumps fall through; what is rarely run stands behind it all.
void Emitter::place_blocks() {
  const auto place = [this](const Blocks& blocks) {
    for (llvm::BasicBlock* const block : blocks) {
      if (block != &function_->back()) block->moveAfter(&function_->back());
    }
  };
  place(entry_);
  for (const auto& [at, blocks] : blocks_) {
    if (at.second != Known::unknown) place(blocks);
  }
  for (const auto& [at, blocks] : blocks_) {
    if (at.second == Known::unknown) place(blocks);
  }
  place(cold_);
}

llvm::Value* Emitter::field(llvm::Value* base, std::uint64_t offset) {
  return offset == 0 ? base : builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
}

llvm::Value* Emitter::register_field(std::uint32_t reg, std::uint64_t offset) {
  return field(registers_, reg * sizeof(Sample) + offset);
}

llvm::Value* Emitter::selector_field(std::uint32_t selector, std::uint64_t offset) {
  return field(call_field(offsetof(NativeCall, selectors)), selector * sizeof(Selector) + offset);
}

llvm::Value* Emitter::found(const Step& step) {
  return builder_.CreateLoad(builder_.getInt32Ty(), selector_field(step.a, offsetof(Selector, found)));
}

llvm::Value* Emitter::call_field(std::uint64_t offset) {
  return builder_.CreateLoad(builder_.getPtrTy(), field(call_, offset));
}

llvm::Value* Emitter::bound(std::uint32_t constant, std::uint64_t offset) {
  return field(call_field(offsetof(NativeCall, constants)), constant * sizeof(abi::Constant) + offset);
}

}  // namespace hawser::codegen
