#include "runtime/kernels/patterns.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace hawser::kernels {
namespace {

constexpr std::string_view kSeparators = ":-";

// Decimal digits, behind a '-' for a negative number; nothing at all, or a '-' alone, is 0. False when something follows,
// or the number has more than 64 bits.
bool read_bound(std::string_view text, std::int64_t& value) noexcept {
  value = 0;
  if (text.empty() || text == "-") return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void clear_host_bits(IpAddress& address, unsigned prefix_bits) noexcept {
  for (unsigned at = 0; at < address.bytes.size(); ++at) {
    const unsigned first = at * 8;
    if (prefix_bits >= first + 8) continue;
    const unsigned kept = prefix_bits > first ? prefix_bits - first : 0;
    address.bytes[at] &= static_cast<std::uint8_t>(0xff00u >> kept);
  }
}

// Of an IPv4 mask: a number of bits, or a dotted mask.
Result<unsigned, AddressProblem> mask_bits(std::string_view mask, unsigned bits_max) {
  if (bits_max == 32 && mask.find('.') != std::string_view::npos) {
    const auto dotted = IpAddress::parse(mask);
    if (!dotted || dotted->family != IpAddress::Family::v4) return AddressProblem::malformed;
    const std::uint32_t holes = ~dotted->v4_host_order();
    if ((holes & (holes + 1)) != 0) return AddressProblem::mask_with_holes;
    return static_cast<unsigned>(__builtin_popcount(~holes));
  }
  // Blanks and a '+' before the digits are read over (haproxy 2.6 does the same).
  mask.remove_prefix(std::min(mask.find_first_not_of(' '), mask.size()));
  if (mask.starts_with('+')) mask.remove_prefix(1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits);
  if (error != std::errc() || end != mask.data() + mask.size() || bits > bits_max) return AddressProblem::malformed;
  return bits;
}

}  // namespace

Result<NumberRange, std::string> parse_range(std::string_view text) {
  NumberRange range;
  const std::size_t at = text.find_first_of(kSeparators);
  if (at == std::string_view::npos) {
    if (text.empty() || !read_bound(text, range.low)) return fmt::format("'{}' is not a number", text);
    range.high = range.low;
    return range;
  }
  const std::string_view low = text.substr(0, at);
  const std::string_view high = text.substr(at + 1);
  const bool sound = (!low.empty() || !high.empty()) && (low.empty() || read_bound(low, range.low)) &&
                     (high.empty() || read_bound(high, range.high)) && range.low <= range.high;
  if (!sound) return fmt::format("'{}' is not a valid number range", text);
  return range;
}

std::optional<std::string> apply_operator(Operator how, std::string_view text) {
  const bool is_range = text.find_first_of(kSeparators) != std::string_view::npos;
  if (how == Operator::none || how == Operator::eq || is_range) return std::string(text);
  std::int64_t value = 0;
  const std::string_view whole = text.substr(0, text.find('.'));
  if (whole.empty() || !read_bound(whole, value)) return std::nullopt;
  // Beyond the largest number there is none: the text that comes out is no range (haproxy 2.6 does the same).
  switch (how) {
    case Operator::ge: return fmt::format("{}:", value);
    case Operator::gt: return value == INT64_MAX ? "-9223372036854775808:" : fmt::format("{}:", value + 1);
    case Operator::le: return fmt::format(":{}", value);
    case Operator::lt: return fmt::format(":{}", value - 1);
    default: return std::string(text);
  }
}

Result<Network, AddressProblem> masked(IpAddress address, std::optional<std::string_view> mask) {
  const unsigned bits_max = address.family == IpAddress::Family::v4 ? 32 : 128;
  unsigned bits = bits_max;
  if (mask) {
    const auto read = mask_bits(*mask, bits_max);
    if (!read) return read.error();
    bits = *read;
  }
  clear_host_bits(address, bits);
  return Network{address, static_cast<std::uint8_t>(bits)};
}

Result<Network, AddressProblem> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return AddressProblem::malformed;
  return masked(*address, slash == std::string_view::npos ? std::nullopt : std::optional(text.substr(slash + 1)));
}

Result<ParsedPattern, std::string> parse_pattern(std::string_view text, abi::Match match,
                                                 const Regex::Options& options) {
  ParsedPattern pattern;
  switch (match) {
    case abi::Match::integer:
    case abi::Match::length: {
      const auto range = parse_range(text);
      if (!range) return range.error();
      pattern.range = *range;
      break;
    }
    case abi::Match::ip: {
      const auto network = parse_network(text);
      if (!network && network.error() == AddressProblem::mask_with_holes) {
        return fmt::format("the mask with holes of '{}' is not supported by hawser yet", text);
      }
      if (!network) return fmt::format("'{}' is not a valid IPv4 or IPv6 address", text);
      pattern.network = *network;
      break;
    }
    case abi::Match::regex: {
      auto regex = Regex::compile(text, options);
      if (!regex) return regex_message(text, regex.error());
      pattern.regex = std::move(regex).value();
      break;
    }
    default: break;
  }
  return pattern;
}

std::string regex_message(std::string_view text, const Regex::Problem& problem) {
  return fmt::format("regex '{}' is invalid (error={}, erroffset={})", text, problem.text, problem.offset);
}

}  // namespace hawser::kernels
