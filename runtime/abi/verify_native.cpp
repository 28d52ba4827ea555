// Whether a code image may be mapped and called. Code itself cannot be checked; that it is what hawser-jitc wrote for
// this very Program and this very runtime can.
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "runtime/abi/native.h"
#include "runtime/base/hash.h"

namespace hawser::abi {
namespace {

constexpr std::string_view kLayout =
#if defined(__x86_64__)
    "x86_64 "
#elif defined(__aarch64__)
    "aarch64 "
#else
    "other "
#endif
#define OP(id, uses, constant, operands, summary) #id " " operands "\n"
#include "runtime/abi/opcodes.def"
#undef OP
    ;

template <class T>
bool inside(Rows<T> rows, std::size_t size) noexcept {
  return rows.at % alignof(T) == 0 && rows.at + std::uint64_t{rows.count} * sizeof(T) <= size;
}

std::string wrong_function(const NativeFunction& function, std::size_t index, const NativeHeader& header) {
  if (function.at % kNativeAlignment != 0 || function.at < header.code.at || function.size == 0 ||
      std::uint64_t{function.at} + function.size > std::uint64_t{header.code.at} + header.code.count) {
    return fmt::format("function {} lies outside of the code", index);
  }
  if (std::uint64_t{function.name.at} + function.name.size > header.size) {
    return fmt::format("the name of function {} lies outside of the image", index);
  }
  if (function.further >= header.functions.count || function.unused != 0) {
    return fmt::format("the parts of function {} are none", index);
  }
  return {};
}

}  // namespace

std::uint64_t native_fingerprint() noexcept {
  static_assert(std::is_standard_layout_v<NativeCall> && std::is_standard_layout_v<Sample> &&
                std::is_standard_layout_v<Constant>);
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  const std::uint64_t layouts[] = {
      Program::kVersion,
      offsetof(NativeCall, registers),
      offsetof(NativeCall, selectors),
      offsetof(NativeCall, constants),
      offsetof(NativeCall, image),
      offsetof(NativeCall, changed),
      offsetof(NativeCall, sets),
      offsetof(NativeCall, helpers),
      offsetof(NativeCall, condition),
      offsetof(NativeCall, part),
      sizeof(Sample),
      offsetof(Sample, type),
      offsetof(Sample, pending),
      offsetof(Sample, integer),
      offsetof(Sample, bytes),
      sizeof(Constant),
      offsetof(Constant, index),
      offsetof(Constant, integer),
      sizeof(Selector),
      offsetof(Selector, from),
      offsetof(Selector, found),
      sizeof(PatternSet),
      offsetof(PatternSet, patterns),
      sizeof(Pattern),
      offsetof(Pattern, text),
      offsetof(Pattern, low),
      offsetof(Pattern, high),
      offsetof(Pattern, ip),
      offsetof(Pattern, prefix_bits),
      static_cast<std::uint64_t>(SampleType::string),
      static_cast<std::uint64_t>(SampleType::ipv4),
      static_cast<std::uint64_t>(SampleType::ipv6),
      static_cast<std::uint64_t>(Truth::unknown),
  };
  return content_hash(std::as_bytes(std::span(layouts)), content_hash(std::as_bytes(std::span(kLayout))));
}

std::span<const std::byte> native_content(std::span<const std::byte> image) noexcept {
  return image.subspan(offsetof(NativeHeader, content) + sizeof(NativeHeader::content));
}

const NativeHeader& native_header(std::span<const std::byte> image) noexcept {
  return *reinterpret_cast<const NativeHeader*>(image.data());
}

std::span<const NativeFunction> native_functions(std::span<const std::byte> image) noexcept {
  const Rows<NativeFunction> rows = native_header(image).functions;
  return {reinterpret_cast<const NativeFunction*>(image.data() + rows.at), rows.count};
}

std::string_view native_name(std::span<const std::byte> image, const NativeFunction& function) noexcept {
  return {reinterpret_cast<const char*>(image.data()) + function.name.at, function.name.size};
}

std::string verify_native(std::span<const std::byte> image) {
  if (image.size() < sizeof(NativeHeader)) return "the code has no header";
  if (reinterpret_cast<std::uintptr_t>(image.data()) % alignof(NativeHeader) != 0) return "the code is not aligned";
  const NativeHeader& header = native_header(image);
  if (header.magic != NativeHeader::kMagic) return "the code is of another kind";
  if (header.version != NativeHeader::kVersion) return fmt::format("the code has version {}", header.version);
  if (header.size != image.size()) return fmt::format("the code has {} bytes instead of {}", image.size(), header.size);
  if (header.runtime != native_fingerprint()) return "the code was made for another build of hawser";
  if (header.content != content_hash(native_content(image))) return "the code is damaged";
  if (!inside(header.functions, image.size())) return "the functions lie outside of the image";
  if (!inside(header.code, image.size()) || header.code.at % kNativePage != 0)
    return "the code lies outside of the image";
  if (header.compiled > header.functions.count) return "the code has an unknown header";
  for (std::size_t at = 0; at < header.functions.count; ++at) {
    if (std::string wrong = wrong_function(native_functions(image)[at], at, header); !wrong.empty()) return wrong;
  }
  return {};
}

std::string verify_native(std::span<const std::byte> image, const ImageView& program) {
  if (std::string wrong = verify_native(image); !wrong.empty()) return wrong;
  const NativeHeader& header = native_header(image);
  if (header.program != content_hash(program.bytes())) return "the code was made for another program";
  const std::size_t functions = program.root<Program>().functions.count;
  if (header.functions.count < functions) {
    return fmt::format("the code has {} functions of {}", header.functions.count, functions);
  }
  return header.compiled <= functions ? "" : "the code has an unknown header";
}

}  // namespace hawser::abi
