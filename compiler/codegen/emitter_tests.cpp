// Comparisons with what a set holds, as code.
#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/codegen/emitter.h"

namespace hawser::codegen {
namespace {

using abi::Match;
using abi::NativeCall;
using abi::Op;
using abi::Sample;
using abi::SampleType;
using abi::Step;

// A sample's type and whether it is pending, as one number.
constexpr unsigned kHeadBits = 16;
static_assert(offsetof(Sample, type) == 0 && offsetof(Sample, pending) == 1);
static_assert(std::endian::native == std::endian::little);

// Of bytes in lower case: the bits that make letters small.
std::uint64_t case_bits(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < size; ++byte) {
    const char c = bytes[at + byte];
    if (c >= 'a' && c <= 'z') bits |= std::uint64_t{0x20} << (8 * byte);
  }
  return bits;
}

}  // namespace

void Emitter::test(std::uint32_t at, const Step& step) {
  const Answers answers = this->answers(at + 1);
  const auto match = static_cast<Match>(step.a);
  if (match == Match::found) return test_found(step, answers);
  if (match == Match::boolean) return test_boolean_or_pending(step, answers);
  const auto comparison = facts_.comparison(index_, step);
  if (!comparison) return branch_on_truth(helper(Op::test, at), answers);

  llvm::BasicBlock* const other = new_cold_block();
  guard(step.b, other);
  switch (match) {
    case Match::integer:
      need_type(step, SampleType::boolean, 2, answers.no, other);
      in_ranges(builder_.CreateLoad(builder_.getInt64Ty(), register_field(step.reg, offsetof(Sample, integer))),
                *comparison, answers);
      break;
    case Match::length:
      need_type(step, SampleType::string, 3, answers.no, other);
      in_ranges(builder_.CreateZExt(text_size(step), builder_.getInt64Ty()), *comparison, answers);
      break;
    case Match::ip:
      need_type(step, SampleType::ipv4, 1, answers.no, other);
      in_networks(step, *comparison, answers);
      break;
    default:
      need_type(step, SampleType::string, 3, answers.no, other);
      compare_texts(step, *comparison, answers);
      break;
  }
  builder_.SetInsertPoint(other);
  branch_on_truth(helper(Op::test, at), answers);
}

// Goes to `otherwise` when the set was changed since the Program was made.
void Emitter::guard(std::uint32_t set_constant, llvm::BasicBlock* otherwise) {
  auto* const number = builder_.getInt32Ty();
  // By the bindings, though it be the same set in all of them: its number is the Program's, and code is reused in others.
  auto* const set = builder_.CreateLoad(number, bound(set_constant, offsetof(abi::Constant, index)));
  auto* const word = builder_.CreateGEP(number, changed_, builder_.CreateZExt(set, builder_.getInt64Ty()));
  // Volatile rather than atomic, which is the same load, but no work for the fast way to select instructions.
  auto* const changed = builder_.CreateLoad(number, word, true);
  llvm::BasicBlock* const unchanged = new_block();
  builder_.CreateCondBr(builder_.CreateICmpNE(changed, builder_.getInt32(0)), otherwise, unchanged);
  builder_.SetInsertPoint(unchanged);
}

// Goes on when the register holds one of `types` types from `first` on and is not pending.
void Emitter::need_type(const Step& step, SampleType first, unsigned types, llvm::BasicBlock* absent,
                        llvm::BasicBlock* otherwise) {
  auto* const half = builder_.getIntNTy(kHeadBits);
  const auto number = [&](unsigned value) { return llvm::ConstantInt::get(half, value); };
  auto* const head = builder_.CreateLoad(half, register_field(step.reg, offsetof(Sample, type)));
  auto* const from = builder_.CreateSub(head, number(static_cast<unsigned>(first)));
  llvm::BasicBlock* const right = new_block();
  llvm::BasicBlock* const wrong = new_cold_block();
  builder_.CreateCondBr(builder_.CreateICmpULT(from, number(types)), right, wrong);
  builder_.SetInsertPoint(wrong);
  builder_.CreateCondBr(builder_.CreateICmpEQ(head, number(static_cast<unsigned>(SampleType::absent))), absent,
                        otherwise);
  builder_.SetInsertPoint(right);
}

void Emitter::test_found(const Step& step, const Answers& answers) {
  auto* const byte = builder_.getInt8Ty();
  auto* const type = builder_.CreateLoad(byte, register_field(step.reg, offsetof(Sample, type)));
  llvm::BasicBlock* const absent = new_block();
  auto* const none = builder_.getInt8(static_cast<std::uint8_t>(SampleType::absent));
  builder_.CreateCondBr(builder_.CreateICmpNE(type, none), answers.yes, absent);
  builder_.SetInsertPoint(absent);
  if_pending(step, answers.unknown, answers.no);
}

void Emitter::if_pending(const Step& step, llvm::BasicBlock* pending, llvm::BasicBlock* settled) {
  auto* const byte = builder_.CreateLoad(builder_.getInt8Ty(), register_field(step.reg, offsetof(Sample, pending)));
  builder_.CreateCondBr(builder_.CreateICmpNE(byte, builder_.getInt8(0)), pending, settled);
}

void Emitter::test_boolean_or_pending(const Step& step, const Answers& answers) {
  llvm::BasicBlock* const no = new_block();
  test_boolean(step, {no, answers.yes, no});
  builder_.SetInsertPoint(no);
  if_pending(step, answers.unknown, answers.no);
}

// Yes for a boolean that is true, whether it is pending or not.
void Emitter::test_boolean(const Step& step, const Answers& answers) {
  auto* const type = builder_.CreateLoad(builder_.getInt8Ty(), register_field(step.reg, offsetof(Sample, type)));
  llvm::BasicBlock* const boolean = new_block();
  auto* const wanted = builder_.getInt8(static_cast<std::uint8_t>(SampleType::boolean));
  builder_.CreateCondBr(builder_.CreateICmpEQ(type, wanted), boolean, answers.no);
  builder_.SetInsertPoint(boolean);
  auto* const value = builder_.CreateLoad(builder_.getInt64Ty(), register_field(step.reg, offsetof(Sample, integer)));
  builder_.CreateCondBr(builder_.CreateICmpNE(value, builder_.getInt64(0)), answers.yes, answers.no);
}

llvm::Value* Emitter::text_size(const Step& step) {
  return builder_.CreateLoad(builder_.getInt32Ty(), register_field(step.reg, offsetof(Sample, bytes.size)));
}

void Emitter::in_ranges(llvm::Value* value, const Comparison& comparison, const Answers& answers) {
  for (const Comparison::Range& range : comparison.ranges) {
    llvm::Value* inside = builder_.getTrue();
    if (range.low == range.high) {
      inside = builder_.CreateICmpEQ(value, builder_.getInt64(static_cast<std::uint64_t>(range.low)));
    } else {
      if (range.low != INT64_MIN) {
        inside = builder_.CreateICmpSGE(value, builder_.getInt64(static_cast<std::uint64_t>(range.low)));
      }
      if (range.high != INT64_MAX) {
        auto* const below = builder_.CreateICmpSLE(value, builder_.getInt64(static_cast<std::uint64_t>(range.high)));
        inside = builder_.CreateAnd(inside, below);
      }
    }
    yes_if(inside, answers);
  }
  builder_.CreateBr(answers.no);
}

void Emitter::in_networks(const Step& step, const Comparison& comparison, const Answers& answers) {
  auto* const address = builder_.CreateLoad(builder_.getInt32Ty(), register_field(step.reg, offsetof(Sample, ip)));
  for (const Comparison::Network& network : comparison.networks) {
    auto* const masked = builder_.CreateAnd(address, builder_.getInt32(network.mask));
    yes_if(builder_.CreateICmpEQ(masked, builder_.getInt32(network.bits)), answers);
  }
  builder_.CreateBr(answers.no);
}

// Sizes first: they tell most texts apart.
void Emitter::compare_texts(const Step& step, const Comparison& comparison, const Answers& answers) {
  auto* const size = text_size(step);
  auto* const data = builder_.CreateLoad(builder_.getPtrTy(), register_field(step.reg, offsetof(Sample, bytes.data)));
  const bool whole = comparison.match == Match::string || comparison.match == Match::binary;
  for (const Comparison::Text& text : comparison.texts) {
    auto* const wanted = builder_.getInt32(static_cast<std::uint32_t>(text.bytes.size()));
    llvm::BasicBlock* const fits = new_block();
    llvm::BasicBlock* const next = new_block();
    builder_.CreateCondBr(whole ? builder_.CreateICmpEQ(size, wanted) : builder_.CreateICmpUGE(size, wanted), fits,
                          next);
    builder_.SetInsertPoint(fits);
    llvm::Value* from = data;
    if (comparison.match == Match::end) {
      auto* const before = builder_.CreateZExt(builder_.CreateSub(size, wanted), builder_.getInt64Ty());
      from = builder_.CreateInBoundsGEP(builder_.getInt8Ty(), data, before);
    }
    builder_.CreateCondBr(equal_bytes(from, text.bytes, comparison.ignore_case), answers.yes, next);
    builder_.SetInsertPoint(next);
  }
  builder_.CreateBr(answers.no);
}

// All of `bytes` in as few loads as there are; the last of them may overlap the one before.
llvm::Value* Emitter::equal_bytes(llvm::Value* data, const std::string& bytes, bool ignore_case) {
  if (bytes.empty()) return builder_.getTrue();
  const std::size_t width = std::bit_floor(std::min<std::size_t>(bytes.size(), 8));
  auto* const type = builder_.getIntNTy(static_cast<unsigned>(8 * width));
  llvm::Value* difference = nullptr;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    const std::size_t from = std::min(at, bytes.size() - width);
    std::uint64_t wanted = 0;
    std::memcpy(&wanted, bytes.data() + from, width);
    llvm::Value* value = builder_.CreateAlignedLoad(type, field(data, from), llvm::Align(1));
    const std::uint64_t fold = ignore_case ? case_bits(bytes, from, width) : 0;
    if (fold != 0) value = builder_.CreateOr(value, llvm::ConstantInt::get(type, fold));
    value = builder_.CreateXor(value, llvm::ConstantInt::get(type, wanted));
    difference = difference == nullptr ? value : builder_.CreateOr(difference, value);
  }
  return builder_.CreateICmpEQ(difference, llvm::ConstantInt::get(type, 0));
}

void Emitter::yes_if(llvm::Value* condition, const Answers& answers) {
  llvm::BasicBlock* const next = new_block();
  builder_.CreateCondBr(condition, answers.yes, next);
  builder_.SetInsertPoint(next);
}

}  // namespace hawser::codegen
