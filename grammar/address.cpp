// Addresses: what the prefix says, how the port reads, and haproxy 2.6's words for what is wrong.
#include <algorithm>
#include <cstdint>

#include "grammar/address_text.h"

namespace hawser::grammar {

namespace {

using Family = AddressSyntax::Family;
using Kind = AddressSyntax::Kind;
using PortKind = AddressSyntax::PortKind;

struct Prefix {
  std::string_view name;
  Family family;
  Kind kind;
};

constexpr Prefix kPrefixes[] = {
    {"ip", Family::unspecified, Kind::unspecified},
    {"ipv4", Family::ipv4, Kind::unspecified},
    {"ipv6", Family::ipv6, Kind::unspecified},
    {"unix", Family::unix_path, Kind::unspecified},
    {"abns", Family::abstract, Kind::unspecified},
    {"abnsz", Family::abstract_z, Kind::unspecified},
    {"fd", Family::descriptor, Kind::unspecified},
    {"sockpair", Family::socketpair, Kind::unspecified},
    {"ring", Family::ring, Kind::unspecified},
    {"backend", Family::backend, Kind::unspecified},
    {"tcp", Family::unspecified, Kind::stream},
    {"tcp4", Family::ipv4, Kind::stream},
    {"tcp6", Family::ipv6, Kind::stream},
    {"udp", Family::unspecified, Kind::datagram},
    {"udp4", Family::ipv4, Kind::datagram},
    {"udp6", Family::ipv6, Kind::datagram},
    {"quic4", Family::ipv4, Kind::quic},
    {"quic6", Family::ipv6, Kind::quic},
    {"uxst", Family::unix_path, Kind::stream},
    {"uxdg", Family::unix_path, Kind::datagram},
};
constexpr Prefix kKinds[] = {
    {"stream+", Family::unspecified, Kind::stream},
    {"dgram+", Family::unspecified, Kind::datagram},
    {"quic+", Family::unspecified, Kind::quic},
};
// HAProxy knows them; we do not listen or connect this way.
constexpr std::string_view kUnsupported[] = {"mptcp", "mptcp4", "mptcp6", "rhttp"};

bool has_port(Family family) {
  return family == Family::unspecified || family == Family::ipv4 || family == Family::ipv6;
}

// As atoi() reads it: digits, then anything; too much wraps as it does in haproxy.
std::uint32_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
  }
  return static_cast<std::uint32_t>(value);
}

class AddressReader {
 public:
  AddressReader(const Word& word, std::size_t begin, std::size_t end, Diagnostics& diagnostics)
      : word_(word), text_(std::string_view(word.text).substr(begin, end - begin)), diagnostics_(diagnostics) {}

  std::optional<AddressSyntax> read() {
    address_.span = span(text_);
    if (text_.empty()) {
      return fail(text_, "'' resolves to an empty address (environment variable missing?)");
    }
    const AddressText pieces = read_address(text_);
    std::string_view rest = text_;
    if (!pieces.prefix.empty()) {
      if (!read_prefix(pieces.prefix)) return std::nullopt;
      // An unknown prefix is part of a host name that will not resolve.
      if (known_) rest.remove_prefix(pieces.prefix.size() + 1);
    }
    if (!known_ && rest.starts_with("stream+")) {  // haproxy takes the kind without a family too
      address_.kind = Kind::stream;
      rest.remove_prefix(7);
    }
    if (address_.family == Family::unspecified && !known_ && rest.starts_with('/')) address_.family = Family::unix_path;
    if (!has_port(address_.family)) return whole(rest);
    return host_and_port(rest, pieces);
  }

 private:
  Span span(std::string_view text) const {
    return word_.part(static_cast<std::size_t>(text.data() - word_.text.data()), text.size());
  }

  std::nullopt_t fail(std::string_view at, std::string text) {
    Span where = at.empty() ? span(text_) : span(at);
    if (where.length == 0) where.length = 1;
    diagnostics_.error(where, "{}", text);
    return std::nullopt;
  }

  bool read_prefix(std::string_view prefix) {
    std::string_view family = prefix;
    for (const Prefix& kind : kKinds) {
      if (!prefix.starts_with(kind.name)) continue;
      address_.kind = kind.kind;
      family.remove_prefix(kind.name.size());
      break;
    }
    const auto* const found =
        std::find_if(std::begin(kPrefixes), std::end(kPrefixes), [&](const Prefix& one) { return one.name == family; });
    known_ = found != std::end(kPrefixes);
    if (known_) {
      address_.family = found->family;
      if (found->kind != Kind::unspecified) address_.kind = found->kind;
      return true;
    }
    address_.kind = Kind::unspecified;
    if (std::find(std::begin(kUnsupported), std::end(kUnsupported), family) == std::end(kUnsupported)) return true;
    diagnostics_.error(span(prefix), "'{}@' is not supported by hawser yet", prefix).unsupported = true;
    return false;
  }

  // A path, a name, or the number of a descriptor.
  std::optional<AddressSyntax> whole(std::string_view rest) {
    address_.host = rest;
    const bool number = address_.family == Family::descriptor || address_.family == Family::socketpair;
    const bool digits =
        !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number && !digits) {
      return fail(rest, fmt::format("file descriptor '{}' is not a valid integer in '{}'", rest, text_));
    }
    return std::move(address_);
  }

  std::optional<AddressSyntax> host_and_port(std::string_view rest, const AddressText& pieces) {
    const std::size_t port_bytes = pieces.port ? pieces.port->size() + 1 : 0;
    std::string_view host = rest.substr(0, rest.size() - port_bytes);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    address_.host = host;
    if (pieces.port && !pieces.port->empty() && !read_port(*pieces.port)) return std::nullopt;
    return std::move(address_);
  }

  bool read_port(std::string_view port) {
    address_.port_text = port;
    const char first = port.front();
    if (first == '+' || first == '-') {
      address_.port_kind = first == '+' ? PortKind::plus : PortKind::minus;
      address_.port = leading_number(port.substr(1));
      return true;
    }
    if (first < '0' || first > '9') {
      fail(port, fmt::format("invalid character '{}' in port number '{}' in '{}'", first, port, text_));
      return false;
    }
    address_.port = leading_number(port);
    address_.port_kind = PortKind::single;
    const std::size_t dash = port.find('-');
    if (dash == std::string_view::npos) return true;
    address_.port_kind = PortKind::range;
    address_.port_end = leading_number(port.substr(dash + 1));
    return true;
  }

  const Word& word_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  AddressSyntax address_;
  bool known_ = false;  // the prefix
};

}  // namespace

std::optional<AddressSyntax> parse_address(const Word& word, Diagnostics& diagnostics) {
  return AddressReader(word, 0, word.text.size(), diagnostics).read();
}

std::optional<std::vector<AddressSyntax>> parse_addresses(const Word& word, Diagnostics& diagnostics) {
  std::vector<AddressSyntax> addresses;
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(word.text.find(',', begin), word.text.size());
    std::optional<AddressSyntax> address = AddressReader(word, begin, end, diagnostics).read();
    if (!address) return std::nullopt;
    addresses.push_back(std::move(*address));
    begin = end + 1;
  } while (begin < word.text.size());  // one comma may trail, as in haproxy 2.6
  return addresses;
}

}  // namespace hawser::grammar
