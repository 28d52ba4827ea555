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
  if (match == Match::ip) {
    need_type(step, SampleType::ipv4, 1, answers.no, if_wide(step, *comparison, answers, other));
  } else {
    const bool number = match == Match::integer;
    need_type(step, number ? SampleType::boolean : SampleType::string, number ? 2 : 3, answers.no, other);
  }
  if (comparison->by_bindings) {
    compare_bound(step, answers, other);
  } else if (match == Match::ip) {
    in_networks(step, *comparison, answers);
  } else if (match == Match::integer || match == Match::length) {
    in_ranges(number_of(step), *comparison, answers);
  } else {
    compare_texts(step, *comparison, answers);
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

// What integer and length compare.
llvm::Value* Emitter::number_of(const Step& step) {
  auto* const word = builder_.getInt64Ty();
  if (static_cast<Match>(step.a) == Match::length) return builder_.CreateZExt(text_size(step), word);
  return builder_.CreateLoad(word, register_field(step.reg, offsetof(Sample, integer)));
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

// What an address goes to that is not of IPv4: there, those of IPv6 are told from all else.
llvm::BasicBlock* Emitter::if_wide(const Step& step, const Comparison& comparison, const Answers& answers,
                                   llvm::BasicBlock* otherwise) {
  if (comparison.wide_networks.empty()) return otherwise;
  const llvm::IRBuilderBase::InsertPointGuard back(builder_);
  llvm::BasicBlock* const asked = new_cold_block();
  llvm::BasicBlock* const wide = new_block();
  builder_.SetInsertPoint(asked);
  auto* const half = builder_.getIntNTy(kHeadBits);
  auto* const head = builder_.CreateLoad(half, register_field(step.reg, offsetof(Sample, type)));
  auto* const wanted = llvm::ConstantInt::get(half, static_cast<unsigned>(SampleType::ipv6));
  builder_.CreateCondBr(builder_.CreateICmpEQ(head, wanted), wide, otherwise);
  builder_.SetInsertPoint(wide);
  in_wide_networks(step, comparison, answers);
  return asked;
}

void Emitter::in_wide_networks(const Step& step, const Comparison& comparison, const Answers& answers) {
  auto* const word = builder_.getInt64Ty();
  for (const Comparison::WideNetwork& network : comparison.wide_networks) {
    llvm::Value* difference = builder_.getInt64(0);
    for (unsigned at = 0; at < 2; ++at) {
      if (network.mask[at] == 0) continue;
      auto* const half = builder_.CreateLoad(word, register_field(step.reg, offsetof(Sample, ip) + 8 * at));
      auto* const masked = builder_.CreateAnd(half, builder_.getInt64(network.mask[at]));
      difference = builder_.CreateOr(difference, builder_.CreateXor(masked, builder_.getInt64(network.bits[at])));
    }
    yes_if(builder_.CreateICmpEQ(difference, builder_.getInt64(0)), answers);
  }
  builder_.CreateBr(answers.no);
}

// With the one pattern of the set that the bindings name. Texts go by their sizes: one that fits is `fitting`.
void Emitter::compare_bound(const Step& step, const Answers& answers, llvm::BasicBlock* fitting) {
  const auto match = static_cast<Match>(step.a);
  llvm::Value* const pattern = bound_pattern(step);
  if (match == Match::ip) {
    builder_.CreateCondBr(in_bound_network(step, pattern), answers.yes, answers.no);
  } else if (match == Match::integer || match == Match::length) {
    auto* const word = builder_.getInt64Ty();
    auto* const number = number_of(step);
    auto* const low = builder_.CreateLoad(word, field(pattern, offsetof(abi::Pattern, low)));
    auto* const high = builder_.CreateLoad(word, field(pattern, offsetof(abi::Pattern, high)));
    auto* const inside = builder_.CreateAnd(builder_.CreateICmpSGE(number, low), builder_.CreateICmpSLE(number, high));
    builder_.CreateCondBr(inside, answers.yes, answers.no);
  } else {
    constexpr std::uint64_t kSize = offsetof(abi::Pattern, text) + offsetof(abi::Text, size);
    auto* const wanted = builder_.CreateLoad(builder_.getInt32Ty(), field(pattern, kSize));
    auto* const size = text_size(step);
    const bool whole = match == Match::string || match == Match::binary;
    auto* const fits = whole ? builder_.CreateICmpEQ(size, wanted) : builder_.CreateICmpUGE(size, wanted);
    builder_.CreateCondBr(fits, fitting, answers.no);
  }
}

llvm::Value* Emitter::bound_pattern(const Step& step) {
  auto* const word = builder_.getInt64Ty();
  auto* const half = builder_.getInt32Ty();
  auto* const byte = builder_.getInt8Ty();
  auto* const number =
      builder_.CreateZExt(builder_.CreateLoad(half, bound(step.b, offsetof(abi::Constant, index))), word);
  auto* const offset = builder_.CreateMul(number, builder_.getInt64(sizeof(abi::PatternSet)));
  auto* const set = builder_.CreateGEP(byte, call_field(offsetof(NativeCall, sets)), offset);
  constexpr std::uint64_t kAt = offsetof(abi::PatternSet, patterns) + offsetof(abi::Rows<abi::Pattern>, at);
  auto* const at = builder_.CreateZExt(builder_.CreateLoad(half, field(set, kAt)), word);
  return builder_.CreateGEP(byte, call_field(offsetof(NativeCall, image)), at);
}

// Of IPv4: the bits in which the addresses differ, the first ones being the highest, are none of the prefix's.
llvm::Value* Emitter::in_bound_network(const Step& step, llvm::Value* pattern) {
  auto* const word = builder_.getInt64Ty();
  auto* const half = builder_.getInt32Ty();
  auto* const address = builder_.CreateLoad(half, register_field(step.reg, offsetof(Sample, ip)));
  auto* const wanted = builder_.CreateLoad(half, field(pattern, offsetof(abi::Pattern, ip)));
  auto* const bits = builder_.CreateLoad(builder_.getInt8Ty(), field(pattern, offsetof(abi::Pattern, prefix_bits)));
  auto* const ones = builder_.getInt64(0xffff'ffff'0000'0000);
  auto* const mask = builder_.CreateTrunc(builder_.CreateLShr(ones, builder_.CreateZExt(bits, word)), half);
  auto* const differing = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, builder_.CreateXor(address, wanted));
  return builder_.CreateICmpEQ(builder_.CreateAnd(differing, mask), builder_.getInt32(0));
}

// Sizes first: they tell most texts apart.
void Emitter::compare_texts(const Step& step, const Comparison& comparison, const Answers& answers) {
  auto* const size = text_size(step);
  auto* const data = builder_.CreateLoad(builder_.getPtrTy(), register_field(step.reg, offsetof(Sample, bytes.data)));
  const bool whole = comparison.match == Match::string || comparison.match == Match::binary;
  for (const Comparison::Text& text : comparison.texts) {
    auto* const wanted = builder_.getInt32(static_cast<std::uint32_t>(text.bytes.size()));
    const bool last = &text == &comparison.texts.back();
    llvm::BasicBlock* const fits = new_block();
    llvm::BasicBlock* const next = last ? answers.no : new_block();
    builder_.CreateCondBr(whole ? builder_.CreateICmpEQ(size, wanted) : builder_.CreateICmpUGE(size, wanted), fits,
                          next);
    builder_.SetInsertPoint(fits);
    llvm::Value* from = data;
    if (comparison.match == Match::end) {
      auto* const before = builder_.CreateZExt(builder_.CreateSub(size, wanted), builder_.getInt64Ty());
      from = builder_.CreateInBoundsGEP(builder_.getInt8Ty(), data, before);
    }
    builder_.CreateCondBr(equal_bytes(from, text.bytes, comparison.ignore_case), answers.yes, next);
    if (!last) builder_.SetInsertPoint(next);
  }
  if (comparison.texts.empty()) builder_.CreateBr(answers.no);
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
    if (bytes.size() == width) return builder_.CreateICmpEQ(value, llvm::ConstantInt::get(type, wanted));
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
