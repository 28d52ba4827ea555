#include "compiler/resolve/patterns.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace hawser::compiler {
namespace {

// A number of decimal digits, with '-'. Moves `text` behind it.
std::optional<std::int64_t> take_number(std::string_view& text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

model::Pattern bound(Operator how, std::int64_t value) noexcept {
  model::Pattern pattern;
  switch (how) {
    case Operator::ge: pattern.low = value; break;
    case Operator::gt: pattern.low = value == INT64_MAX ? value : value + 1; break;
    case Operator::le: pattern.high = value; break;
    case Operator::lt: pattern.high = value == INT64_MIN ? value : value - 1; break;
    case Operator::none:
    case Operator::eq: pattern.low = pattern.high = value; break;
  }
  return pattern;
}

bool begins_with_digit(std::string_view text) noexcept { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

// LOW:HIGH, LOW: or :HIGH. A '-' parts them as well, so that "-5" is whatever is at most 5, and only the HIGH of a range may be
// negative (haproxy 2.6 does the same).
std::optional<model::Pattern> take_range(std::string_view text) noexcept {
  model::Pattern pattern;
  const bool has_low = begins_with_digit(text);
  if (has_low) {
    const auto low = take_number(text);
    if (!low) return std::nullopt;
    pattern.low = *low;
  }
  if (!text.starts_with(':') && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  if (text.empty()) return has_low ? std::optional(pattern) : std::nullopt;
  if (text == "-") text = "0";  // haproxy 2.6 does the same
  const auto high = take_number(text);
  if (!high || !text.empty()) return std::nullopt;
  pattern.high = *high;
  if (pattern.low > pattern.high) return std::nullopt;
  return pattern;
}

// Dotted numbers as inet_aton reads them, but for hexadecimal ones: "10.1" is 10.0.0.1, "010.0.0.1"
// is 8.0.0.1.
std::optional<IpAddress> read_v4(std::string_view text) noexcept {
  std::uint64_t parts[4] = {};
  std::size_t count = 0;
  while (count < 4) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return std::nullopt;
    const int base = digits > 1 && text.front() == '0' ? 8 : 10;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, parts[count++], base);
    if (error != std::errc() || end != text.data() + digits) return std::nullopt;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (!text.starts_with('.') || count == 4) return std::nullopt;
    text.remove_prefix(1);
  }
  std::uint64_t address = 0;
  for (std::size_t at = 0; at + 1 < count; ++at) {
    if (parts[at] > 255) return std::nullopt;
    address |= parts[at] << (24 - 8 * at);
  }
  const unsigned last_bits = 8 * (5 - static_cast<unsigned>(count));
  if (parts[count - 1] >> last_bits != 0) return std::nullopt;
  return IpAddress::v4(static_cast<std::uint32_t>(address | parts[count - 1]));
}

std::optional<IpAddress> look_up(const std::string& name) {
  if (name.find_first_of("%/ ") != std::string::npos || name.starts_with("0x")) return std::nullopt;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  IpAddress address;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress socket;
    std::memcpy(&socket.storage, one->ai_addr, std::min<std::size_t>(one->ai_addrlen, sizeof socket.storage));
    socket.size = one->ai_addrlen;
    const IpAddress ip = socket.ip();
    if (ip.family == IpAddress::Family::v4) {
      address = ip;
      break;
    }
    if (address.family == IpAddress::Family::none) address = ip;
  }
  ::freeaddrinfo(found);
  if (address.family == IpAddress::Family::none) return std::nullopt;
  return address;
}

void clear_host_bits(IpAddress& address, unsigned prefix_bits) noexcept {
  for (unsigned at = 0; at < address.bytes.size(); ++at) {
    const unsigned first = at * 8;
    if (prefix_bits >= first + 8) continue;
    const unsigned kept = prefix_bits > first ? prefix_bits - first : 0;
    address.bytes[at] &= static_cast<std::uint8_t>(0xff00u >> kept);
  }
}

}  // namespace

std::optional<Operator> read_operator(std::string_view word) noexcept {
  if (word == "eq" || word == "ne") return Operator::eq;  // haproxy 2.6 takes `ne` and compares as `eq` does
  if (word == "ge") return Operator::ge;
  if (word == "gt") return Operator::gt;
  if (word == "le") return Operator::le;
  if (word == "lt") return Operator::lt;
  return std::nullopt;
}

Result<model::Pattern, std::string> read_number_pattern(std::string_view text, Operator how) {
  const bool is_range = text.find_first_of(":-") != std::string_view::npos;
  if (is_range) {
    if (auto range = take_range(text)) {
      range->text = text;
      return std::move(*range);
    }
    return fmt::format("'{}' is not a valid number range", text);
  }
  std::string_view rest = text;
  const auto number = take_number(rest);
  const bool ordered = how != Operator::none && how != Operator::eq;
  if (number && ordered && rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos) rest = {};
  }
  if (number && rest.empty()) {
    model::Pattern pattern = bound(how, *number);
    pattern.text = text;
    return pattern;
  }
  if (ordered) return fmt::format("'{}' is neither a number nor a supported operator", text);
  return fmt::format("'{}' is not a number", text);
}

Result<model::Pattern, AddressProblem> read_address_pattern(std::string_view text, bool resolve_names) {
  const std::size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  model::Pattern pattern;
  pattern.text = text;
  std::optional<IpAddress> address = read_v4(host);
  if (!address && host.find(':') != std::string_view::npos) address = IpAddress::parse(host);
  if (!address && resolve_names && host.find(':') == std::string_view::npos) address = look_up(std::string(host));
  if (!address) return AddressProblem{};
  const unsigned bits_max = address->family == IpAddress::Family::v4 ? 32 : 128;
  unsigned bits = bits_max;
  if (slash != std::string_view::npos) {
    const std::string_view mask = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits);
    if (bits_max == 32 && mask.find('.') != std::string_view::npos) {
      const auto dotted = read_v4(mask);
      if (!dotted) return AddressProblem{};
      const std::uint32_t holes = ~dotted->v4_host_order();
      if ((holes & (holes + 1)) != 0) return AddressProblem{.unsupported = true};
      bits = static_cast<unsigned>(__builtin_popcount(~holes));
    } else if (mask.empty() || error != std::errc() || end != mask.data() + mask.size() || bits > bits_max) {
      return AddressProblem{};
    }
  }
  clear_host_bits(*address, bits);
  pattern.address = *address;
  pattern.prefix_bits = static_cast<std::uint8_t>(bits);
  return pattern;
}

std::optional<RegexProblem> problem_of_regex(std::string_view text, const kernels::Regex::Options& options) {
  const auto compiled = kernels::Regex::compile(text, options);
  if (compiled) return std::nullopt;
  const kernels::Regex::Problem& problem = compiled.error();
  return RegexProblem{fmt::format("regex '{}' is invalid (error={}, erroffset={})", text, problem.text, problem.offset),
                      problem.offset};
}

}  // namespace hawser::compiler
