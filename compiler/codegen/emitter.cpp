// Control: blocks, jumps, the condition, calls of helpers. Comparisons stand in emitter_tests.cpp.
#include "compiler/codegen/emitter.h"

#include "runtime/abi/rows.h"

namespace hawser::codegen {
namespace {

using abi::NativeCall;
using abi::Op;
using abi::Sample;
using abi::SampleType;
using abi::Selector;
using abi::Step;
using abi::Truth;

}  // namespace

Emitter::Emitter(const Facts& facts, llvm::Module& module)
    : facts_(facts), module_(module), builder_(module.getContext()) {
  auto* const pointer = builder_.getPtrTy();
  auto* const number = builder_.getInt32Ty();
  type_ = llvm::FunctionType::get(number, {pointer, number}, false);
}

void Emitter::emit(std::size_t index, const Flow& flow, std::uint32_t part, const std::string& name) {
  index_ = index;
  flow_ = &flow;
  steps_ = flow.steps();
  part_ = part;
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

// Loads what all code uses, and goes to the place that the second argument says.
void Emitter::entry() {
  builder_.SetInsertPoint(new_block());
  registers_ = call_field(offsetof(NativeCall, registers));
  constants_ = call_field(offsetof(NativeCall, constants));
  changed_ = call_field(offsetof(NativeCall, changed));
  helpers_ = call_field(offsetof(NativeCall, helpers));
  const std::vector<Place>& places = flow_->entries(part_);
  const std::uint16_t points = part_ == 0 ? facts_.functions()[index_].resume_points : 0;
  if (part_ != 0 && places.empty()) {  // nothing leads there
    builder_.CreateRet(builder_.getInt32(0));
    return;
  }
  llvm::BasicBlock* const first = part_ == 0 ? to(0, Known::no) : to(places[0].first, places[0].second);
  llvm::BasicBlock* const choice = builder_.GetInsertBlock();
  Ways ways;
  if (points > 0) resume_points(ways);
  for (std::uint32_t at = 0; at < places.size(); ++at) {
    ways.emplace_back(abi::kNativeGoOn | at, to(places[at].first, places[at].second));
  }
  builder_.SetInsertPoint(choice);
  choose(function_->getArg(1), ways, first);
}

// Behind a resume point the condition is what it was.
void Emitter::resume_points(Ways& ways) {
  std::uint32_t point = 0;
  for (std::uint32_t at = 0; at < steps_.size(); ++at) {
    const Op op = steps_[at].op;
    if (op != Op::test_suspend && op != Op::need) continue;
    const std::uint32_t behind = op == Op::need ? steps_[at].target : at + 1;
    llvm::BasicBlock* target = nullptr;
    if (flow_->needed(behind)) {
      target = new_block();
      builder_.SetInsertPoint(target);
      auto* const kept = builder_.CreateLoad(builder_.getInt8Ty(), field(call_, offsetof(NativeCall, condition)));
      branch_on_truth(builder_.CreateZExt(kept, builder_.getInt32Ty()), answers(behind));
    } else {
      target = to(behind, Known::any);
    }
    ways.emplace_back(++point, target);
  }
}

// Halves the ways until one is left. Not by a `switch`: that is a table beside the code, which has to be all in one piece, or
// one comparison after the other.
void Emitter::choose(llvm::Value* number, std::span<const Ways::value_type> ways, llvm::BasicBlock* otherwise) {
  if (ways.empty()) {
    builder_.CreateBr(otherwise);
    return;
  }
  if (ways.size() == 1) {
    auto* const same = builder_.CreateICmpEQ(number, builder_.getInt32(ways[0].first));
    builder_.CreateCondBr(same, ways[0].second, otherwise);
    return;
  }
  const std::size_t middle = ways.size() / 2;
  llvm::BasicBlock* const below = new_block();
  llvm::BasicBlock* const above = new_block();
  auto* const is_below = builder_.CreateICmpULT(number, builder_.getInt32(ways[middle].first));
  builder_.CreateCondBr(is_below, below, above);
  builder_.SetInsertPoint(below);
  choose(number, ways.first(middle), otherwise);
  builder_.SetInsertPoint(above);
  choose(number, ways.subspan(middle), otherwise);
}

void Emitter::step(Place place, llvm::BasicBlock* block) {
  const auto [at, known] = place;
  const Step& step = steps_[at];
  builder_.SetInsertPoint(block);
  if (abi::ends(step.op)) {
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
  const auto with = [&](Known other) { return to(at + 1, absorbed(step.op, known, other)); };
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
  Ways ways;
  for (std::uint32_t one = 0; one < cases; ++one) ways.emplace_back(one, to(at + 1 + one, known));
  choose(found(step), ways, to(step.target, known));
}

// A sample that is absent or has the type already stays what it is.
void Emitter::cast(Place place, const Step& step) {
  const auto type = static_cast<SampleType>(step.a);
  llvm::BasicBlock* const behind = to(place.first + 1, place.second);
  if (type != SampleType::any) {
    auto* const now = builder_.CreateLoad(builder_.getInt8Ty(), register_field(step.reg, offsetof(Sample, type)));
    const auto is = [&](SampleType one) {
      return builder_.CreateICmpEQ(now, builder_.getInt8(static_cast<std::uint8_t>(one)));
    };
    llvm::BasicBlock* const unlike = new_block();
    llvm::BasicBlock* const other = new_cold_block();
    builder_.CreateCondBr(is(type), behind, unlike);
    builder_.SetInsertPoint(unlike);
    builder_.CreateCondBr(is(SampleType::absent), behind, other);
    builder_.SetInsertPoint(other);
    helper(Op::cast, place.first);
  }
  builder_.CreateBr(behind);
}

llvm::Value* Emitter::helper(Op op, std::uint32_t at) {
  auto* const pointer = builder_.getPtrTy();
  auto* const entry = field(helpers_, static_cast<std::uint64_t>(op) * sizeof(abi::NativeHelper));
  auto* const target = builder_.CreateLoad(pointer, entry);
  auto* const called = builder_.CreateCall(type_, target, {call_, builder_.getInt32(at)});
  called->setDoesNotThrow();
  return called;
}

llvm::BasicBlock* Emitter::to(std::uint32_t at, Known known) {
  const Place place = flow_->follow(at, known);
  Blocks& blocks = blocks_[place];
  if (blocks.empty()) {
    blocks.push_back(flow_->part_of(place.first) == part_
                         ? llvm::BasicBlock::Create(module_.getContext(), "", function_)
                         : leave(place));
    if (flow_->part_of(place.first) == part_) work_.push_back(place);
  }
  return blocks.front();
}

// To another part of the function.
llvm::BasicBlock* Emitter::leave(Place place) {
  llvm::BasicBlock* const block = llvm::BasicBlock::Create(module_.getContext(), "", function_);
  const llvm::IRBuilderBase::InsertPointGuard back(builder_);
  builder_.SetInsertPoint(block);
  builder_.CreateStore(builder_.getInt32(flow_->part_of(place.first)), field(call_, offsetof(NativeCall, part)));
  builder_.CreateRet(builder_.getInt32(abi::kNativeGoOn | flow_->entry(place)));
  return block;
}

void Emitter::branch_on_truth(llvm::Value* truth, const Answers& answers) {
  const auto is = [&](Truth one) {
    return builder_.CreateICmpEQ(truth, builder_.getInt32(static_cast<std::uint32_t>(one)));
  };
  llvm::BasicBlock* const other = new_cold_block();
  builder_.CreateCondBr(is(Truth::no), answers.no, other);
  builder_.SetInsertPoint(other);
  builder_.CreateCondBr(is(Truth::yes), answers.yes, answers.unknown);
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
  return field(constants_, constant * sizeof(abi::Constant) + offset);
}

}  // namespace hawser::codegen
