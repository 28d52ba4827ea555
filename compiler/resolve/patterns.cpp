#include "compiler/resolve/patterns.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace hawser::compiler {
namespace {

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
  const auto meant = kernels::apply_operator(how, text);
  if (!meant) return fmt::format("'{}' is neither a number nor a supported operator", text);
  const auto range = kernels::parse_range(*meant);
  if (!range) return range.error();
  model::Pattern pattern;
  pattern.text = *meant;
  pattern.low = range->low;
  pattern.high = range->high;
  return pattern;
}

namespace {

// Nothing when it is none, and `problem` says why.
std::optional<std::string> read_dotted_version(std::string_view text, std::string& problem) {
  std::uint32_t parts[2] = {0, 0};
  std::size_t part = 0;
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.' && has_digit && part == 0) {
      part = 1;
    } else if (c >= '0' && c <= '9') {
      has_digit = true;
      parts[part] = parts[part] * 10 + static_cast<std::uint32_t>(c - '0');
    } else {
      problem = fmt::format("'{}' contains an invalid character", text);
      return std::nullopt;
    }
    if (parts[part] > 0xffff) {
      problem = fmt::format("'{}' contains too large a {} value", text, part == 0 ? "major" : "minor");
      return std::nullopt;
    }
  }
  return fmt::format("{}", parts[0] << 16 | parts[1]);
}

}  // namespace

std::optional<std::string> read_dotted_versions(std::string_view text, std::string& problem) {
  std::string numbers;
  for (;;) {
    const std::size_t colon = text.find(':');
    if (const std::string_view one = text.substr(0, colon); !one.empty()) {
      const auto number = read_dotted_version(one, problem);
      if (!number) return std::nullopt;
      numbers += *number;
    }
    if (colon == std::string_view::npos) return numbers;
    numbers += ':';
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = static_cast<char>(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    if (digit(text[at]) < 0 || digit(text[at + 1]) < 0) return std::nullopt;
    bytes += static_cast<char>(digit(text[at]) << 4 | digit(text[at + 1]));
  }
  return bytes;
}

Result<model::Pattern, AddressProblem> read_address_pattern(std::string_view text, bool resolve_names) {
  auto network = kernels::parse_network(text);
  if (!network && network.error() == AddressProblem::malformed && resolve_names) {
    const std::size_t slash = text.find('/');
    const std::string_view host = text.substr(0, slash);
    std::optional<IpAddress> address = read_v4(host);
    if (!address && host.find(':') == std::string_view::npos) address = look_up(std::string(host));
    if (!address) return AddressProblem::malformed;
    network = kernels::masked(*address,
                              slash == std::string_view::npos ? std::nullopt : std::optional(text.substr(slash + 1)));
  }
  if (!network) return network.error();
  model::Pattern pattern;
  pattern.text = text;
  pattern.address = network->address;
  pattern.prefix_bits = network->prefix_bits;
  return pattern;
}

std::optional<RegexProblem> problem_of_regex(std::string_view text, const kernels::Regex::Options& options) {
  const auto compiled = kernels::Regex::compile(text, options);
  if (compiled) return std::nullopt;
  const kernels::Regex::Problem& problem = compiled.error();
  return RegexProblem{kernels::regex_message(text, problem), problem.offset};
}

}  // namespace hawser::compiler
