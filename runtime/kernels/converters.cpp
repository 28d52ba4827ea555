// Converters of texts and numbers.
#include "runtime/kernels/converters.h"

#include <cstring>
#include <limits>

#include "runtime/kernels/casts.h"

namespace hawser::kernels {
namespace {

using abi::Sample;

template <char from, char to, int shift>
bool change_case(Sample& sample, Arena& arena) noexcept {
  const std::string_view text = sample.view();
  char* out = arena.allocate(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    out[at] = c >= from && c <= to ? static_cast<char>(c + shift) : c;
  }
  sample = Sample::text({out, text.size()});
  return true;
}

// A number, or a variable's value as one.
bool operand(const Sample& argument, Arena& arena, std::int64_t& value) noexcept {
  Sample number = argument;
  cast(number, abi::SampleType::sint, arena);
  value = number.integer;
  return !number.is_absent();
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool convert_lower(Sample& sample, const Sample*, Arena& arena) noexcept {
  return change_case<'A', 'Z', 32>(sample, arena);
}
bool convert_upper(Sample& sample, const Sample*, Arena& arena) noexcept {
  return change_case<'a', 'z', -32>(sample, arena);
}

bool convert_length(Sample& sample, const Sample*, Arena&) noexcept {
  sample = Sample::sint(static_cast<std::int64_t>(sample.view().size()));
  return true;
}

// Sums saturate. haproxy 2.6 gives the largest number for any sum of two negative ones that does not overflow: a
// mistake that we do not repeat (tests/unit/kernels/converters_test.cpp).
bool convert_add(Sample& sample, const Sample* arguments, Arena& arena) noexcept {
  std::int64_t value = 0;
  std::int64_t sum = 0;
  if (!operand(arguments[0], arena, value)) return false;
  if (__builtin_add_overflow(sample.integer, value, &sum)) {
    sum = value > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
  sample = Sample::sint(sum);
  return true;
}

bool convert_sub(Sample& sample, const Sample* arguments, Arena& arena) noexcept {
  std::int64_t value = 0;
  std::int64_t difference = 0;
  if (!operand(arguments[0], arena, value)) return false;
  if (__builtin_sub_overflow(sample.integer, value, &difference)) {
    difference = value < 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
  sample = Sample::sint(difference);
  return true;
}

// A variable that is not set adds nothing.
bool convert_concat(Sample& sample, const Sample* arguments, Arena& arena) noexcept {
  Sample parts[4] = {sample, arguments[0], arguments[1], arguments[2]};
  std::size_t size = 0;
  for (Sample& part : parts) {
    cast(part, abi::SampleType::string, arena);
    if (!part.is_absent()) size += part.view().size();
  }
  char* out = arena.allocate(size);
  std::size_t at = 0;
  for (const Sample& part : parts) {
    if (part.is_absent() || part.view().empty()) continue;
    std::memcpy(out + at, part.view().data(), part.view().size());
    at += part.view().size();
  }
  sample = Sample::text({out, size});
  return true;
}

bool convert_url_dec(Sample& sample, const Sample* arguments, Arena& arena) noexcept {
  const bool plus = !arguments[0].is_absent() && arguments[0].integer != 0;
  const std::string_view text = sample.view();
  char* out = arena.allocate(text.size());
  std::size_t size = 0;
  if (!decode_percent(text, plus, out, size)) return false;
  sample = Sample::text({out, size});
  return true;
}

bool decode_percent(std::string_view text, bool plus, char* out, std::size_t& size) noexcept {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '+' && plus) {
      c = ' ';
    } else if (c == '?') {
      plus = true;
    } else if (c == '%') {
      if (at + 2 >= text.size()) return false;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return false;
      c = static_cast<char>(high * 16 + low);
      at += 2;
    }
    out[end++] = c;
  }
  size = end;
  return true;
}

Converter converter(abi::ConverterId id) noexcept {
  static constexpr Converter kConverters[] = {
#define CONVERTER(id, ...) convert_##id,
#include "runtime/abi/converters.def"
#undef CONVERTER
  };
  return kConverters[static_cast<std::size_t>(id)];
}

abi::SampleType input_of(abi::ConverterId id) noexcept {
  static constexpr abi::SampleType kInputs[] = {
#define CONVERTER(id, name, params, input, ...) abi::SampleType::input,
#include "runtime/abi/converters.def"
#undef CONVERTER
  };
  return kInputs[static_cast<std::size_t>(id)];
}

}  // namespace hawser::kernels
