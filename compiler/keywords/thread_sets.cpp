#include "compiler/keywords/thread_sets.h"

#include <algorithm>
#include <charconv>

namespace hawser::compiler {
namespace {

constexpr std::uint32_t kMost = 64;

struct Range {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

std::optional<std::uint32_t> read_number(std::string_view text) noexcept {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "N", "N-M", and "N-" for up to `open_end`.
std::optional<Range> read_range(std::string_view text, std::uint32_t open_end) noexcept {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint32_t> from = read_number(text.substr(0, dash));
  if (!from) return std::nullopt;
  if (dash == std::string_view::npos) return Range{*from, *from};
  if (dash + 1 == text.size()) return Range{*from, open_end};
  const std::optional<std::uint32_t> to = read_number(text.substr(dash + 1));
  if (!to) return std::nullopt;
  return Range{std::min(*from, *to), std::max(*from, *to)};
}

// Bits [from, to] of those that there are.
std::uint64_t bits(Range range) noexcept {
  std::uint64_t set = 0;
  for (std::uint32_t at = range.from; at <= range.to && at < kMost; ++at) set |= std::uint64_t{1} << at;
  return set;
}

}  // namespace

std::optional<std::uint64_t> read_number_set(std::string_view text) noexcept {
  if (text == "all") return ~std::uint64_t{0};
  if (text == "odd") return 0x5555'5555'5555'5555;
  if (text == "even") return 0xaaaa'aaaa'aaaa'aaaa;
  const std::optional<Range> range = read_range(text, kMost);
  if (!range || range->from == 0 || range->to > kMost) return std::nullopt;
  return bits({range->from - 1, range->to - 1});
}

std::optional<std::uint64_t> read_cpu_set(std::string_view text) noexcept {
  std::uint64_t set = 0;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<Range> range = read_range(text.substr(0, comma), kMost - 1);
    if (!range) return std::nullopt;
    set |= bits(*range);
    if (comma == std::string_view::npos) return set;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace hawser::compiler
