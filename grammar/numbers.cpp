// Durations and sizes: a run of digits and a unit. Small enough to be read by hand.
#include <limits>

#include "grammar/expressions.h"

namespace hawser::grammar {

namespace {

using Kind = NumberError::Kind;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDurationEnd = std::uint64_t{1} << 31;  // of the unit that was asked for

struct Digits {
  std::uint64_t value = 0;  // kMax when it is larger
  std::size_t length = 0;
};

Digits read_digits(std::string_view text) noexcept {
  Digits digits;
  for (; digits.length < text.size(); ++digits.length) {
    const char c = text[digits.length];
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    digits.value = digits.value > (kMax - digit) / 10 ? kMax : digits.value * 10 + digit;
  }
  return digits;
}

std::uint64_t microseconds(TimeUnit unit) noexcept {
  switch (unit) {
    case TimeUnit::us: return 1;
    case TimeUnit::ms: return 1'000;
    case TimeUnit::s: return 1'000'000;
    case TimeUnit::min: return 60'000'000;
    case TimeUnit::h: return 3'600'000'000;
    case TimeUnit::d: return 86'400'000'000;
  }
  return 1;
}

// The unit at the start of `text`; its length is 0 when there is none.
struct Unit {
  TimeUnit unit = TimeUnit::us;
  std::size_t length = 0;
};

Unit read_unit(std::string_view text) noexcept {
  if (text.starts_with("us")) return {TimeUnit::us, 2};
  if (text.starts_with("ms")) return {TimeUnit::ms, 2};
  switch (text.front()) {
    case 's': return {TimeUnit::s, 1};
    case 'm': return {TimeUnit::min, 1};
    case 'h': return {TimeUnit::h, 1};
    case 'd': return {TimeUnit::d, 1};
    default: return {};
  }
}

}  // namespace

Result<Duration, NumberError> parse_duration(std::string_view text, TimeUnit unit) noexcept {
  if (text.empty()) return NumberError{Kind::empty, 0};
  const Digits digits = read_digits(text);
  if (digits.length == 0) return NumberError{Kind::not_a_number, 0};
  const std::string_view rest = text.substr(digits.length);
  Duration duration;
  Unit given{unit, 0};
  if (!rest.empty()) {
    given = read_unit(rest);
    if (given.length == 0) return NumberError{Kind::unit, digits.length};
    duration.has_unit = true;
    if (given.length < rest.size()) duration.junk_at = digits.length + given.length;
  }
  const std::uint64_t from = microseconds(given.unit);
  const std::uint64_t to = microseconds(unit);
  if (digits.value > kMax / from) return NumberError{Kind::overflow, 0};
  const std::uint64_t total = digits.value * from;
  duration.count = total / to + (total % to != 0 ? 1 : 0);
  if (duration.count >= kDurationEnd) return NumberError{Kind::overflow, 0};
  return duration;
}

Result<std::uint64_t, NumberError> parse_size(std::string_view text) noexcept {
  if (text.empty()) return NumberError{Kind::empty, 0};
  const Digits digits = read_digits(text);
  if (digits.length == 0) return NumberError{Kind::not_a_number, 0};
  if (digits.value == kMax) return NumberError{Kind::overflow, 0};
  if (digits.length == text.size()) return digits.value;
  constexpr std::string_view kSuffixes = "kmgtp";
  const std::size_t power = kSuffixes.find(static_cast<char>(text[digits.length] | 0x20));
  if (power == std::string_view::npos || text[digits.length] < 'A') return NumberError{Kind::unit, digits.length};
  if (digits.length + 1 < text.size()) return NumberError{Kind::unit, digits.length + 1};
  const std::size_t shift = 10 * (power + 1);
  if (digits.value > (kMax >> shift)) return NumberError{Kind::overflow, 0};
  return digits.value << shift;
}

}  // namespace hawser::grammar
