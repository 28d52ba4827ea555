#include "compiler/keywords/addresses.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "grammar/expressions.h"
#include "runtime/base/address.h"

namespace hawser::compiler {
namespace {

using Syntax = grammar::AddressSyntax;

// A path must leave room in sun_path for the terminator and for the temporary name under which HAProxy binds it
// (".12345.tmp"), so that a file that one accepts is accepted by both.
constexpr std::size_t kPathBytesMax = sizeof(sockaddr_un::sun_path) - 1 - 10;
constexpr std::uint32_t kPortMax = 65535;
constexpr std::uint16_t kSyslogPort = 514;

// Runs a parser of the grammar over the word, its variables replaced also outside quotes, in the voice of the line.
template <class Parse>
auto parsed(ReadContext& cx, const Voice& voice, const grammar::Word& word, Parse parse) {
  const grammar::Within within(cx.diagnostics, voice.before, voice.origin);
  return parse(word, cx.diagnostics);
}

// The first address of a name, through the C library, as haproxy looks up what it binds.
std::optional<IpAddress> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  std::optional<IpAddress> result;
  for (const addrinfo* at = found; at != nullptr && !result; at = at->ai_next) {
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    SocketAddress address;
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    result = address.ip();
  }
  ::freeaddrinfo(found);
  return result;
}

IpAddress any_address(const Syntax& syntax) {
  IpAddress any;
  any.family = syntax.family == Syntax::Family::ipv6 ? IpAddress::Family::v6 : IpAddress::Family::v4;
  return any;
}

void set_ip(model::Address& address, const IpAddress& ip) {
  address.ip = ip;
  address.family = ip.family == IpAddress::Family::v6 ? abi::Address::Family::v6 : abi::Address::Family::v4;
}

bool refused_kind(ReadContext& cx, const Voice& voice, const Syntax& syntax, const grammar::Word& word) {
  if (syntax.kind == Syntax::Kind::quic) {
    not_supported(cx, voice, syntax.span, fmt::format("a QUIC address ('{}')", word.text));
    return true;
  }
  switch (syntax.family) {
    case Syntax::Family::socketpair:
    case Syntax::Family::ring:
    case Syntax::Family::backend:
    case Syntax::Family::abstract_z:
      not_supported(cx, voice, syntax.span, fmt::format("the address family of '{}'", word.text));
      return true;
    default: return false;
  }
}

// All but the host and the port of an IP address. Nothing after a message.
std::optional<model::Address> read_local(ReadContext& cx, const Voice& voice, const Syntax& syntax,
                                         const grammar::Word& word) {
  model::Address address;
  address.span = syntax.span;
  switch (syntax.family) {
    case Syntax::Family::unix_path:
      if (syntax.host.size() > kPathBytesMax) {
        refuse(cx, voice, syntax.span, fmt::format("socket path '{}' too long (max {})", syntax.host, kPathBytesMax));
        return std::nullopt;
      }
      address.family = abi::Address::Family::unix_path;
      address.path = syntax.host;
      return address;
    case Syntax::Family::abstract:
      if (syntax.host.size() >= sizeof(sockaddr_un::sun_path)) {
        refuse(cx, voice, syntax.span,
               fmt::format("socket path '{}' too long (max {})", syntax.host, sizeof(sockaddr_un::sun_path) - 1));
        return std::nullopt;
      }
      address.family = abi::Address::Family::abstract;
      address.path = syntax.host;
      return address;
    case Syntax::Family::descriptor: {
      const LooseInteger number = read_loose_integer(syntax.host);
      if (!number.whole || number.value < 0 || number.value > INT32_MAX) {
        refuse(cx, voice, syntax.span,
               fmt::format("file descriptor '{}' is not a valid integer in '{}'", syntax.host, word.text));
        return std::nullopt;
      }
      address.family = abi::Address::Family::descriptor;
      address.descriptor = static_cast<std::uint32_t>(number.value);
      return address;
    }
    default: return address;
  }
}

bool is_ip(const Syntax& syntax) {
  return syntax.family == Syntax::Family::unspecified || syntax.family == Syntax::Family::ipv4 ||
         syntax.family == Syntax::Family::ipv6;
}

// The host of an IP address as numbers; `at_once`: a name is looked up now.
bool read_host(ReadContext& cx, const Voice& voice, const Syntax& syntax, const grammar::Word& word, bool at_once,
               model::Address& address) {
  address.host = syntax.host;
  if (syntax.host.empty() || syntax.host == "*") {
    set_ip(address, any_address(syntax));
    return true;
  }
  std::optional<IpAddress> ip = IpAddress::parse(syntax.host);
  if (!ip && at_once && cx.options.look_up_names) ip = look_up(syntax.host);
  if (ip) {
    set_ip(address, *ip);
    return true;
  }
  if (!at_once) return true;
  refuse(cx, voice, syntax.span, fmt::format("invalid address: '{}' in '{}'", syntax.host, word.text));
  return false;
}

bool listen_ports(ReadContext& cx, const Voice& voice, const Syntax& syntax, const grammar::Word& word) {
  if (syntax.port_kind == Syntax::PortKind::none || syntax.port_text.empty()) {
    refuse(cx, voice, syntax.span, fmt::format("missing port specification in '{}'", word.text));
    return false;
  }
  if (syntax.port_kind == Syntax::PortKind::plus || syntax.port_kind == Syntax::PortKind::minus) {
    refuse(cx, voice, syntax.span, fmt::format("port offset not permitted here in '{}'", word.text));
    return false;
  }
  if (syntax.port_kind == Syntax::PortKind::single && (syntax.port == 0 || syntax.port > kPortMax)) {
    refuse(cx, voice, syntax.span, fmt::format("invalid port '{}'", syntax.port_text));
    return false;
  }
  if (syntax.port_kind == Syntax::PortKind::range &&
      (syntax.port == 0 || syntax.port_end > kPortMax || syntax.port > syntax.port_end)) {
    refuse(cx, voice, syntax.span, fmt::format("invalid port range '{}'", syntax.port_text));
    return false;
  }
  return true;
}

// One address of a list, its range expanded.
bool append_listen(ReadContext& cx, const Voice& voice, const Syntax& syntax, const grammar::Word& word,
                   std::vector<model::Address>& addresses) {
  if (refused_kind(cx, voice, syntax, word)) return false;
  if (syntax.kind == Syntax::Kind::datagram) {
    refuse(cx, voice, syntax.span, fmt::format("dgram-type address not acceptable in '{}'", word.text));
    return false;
  }
  std::optional<model::Address> address = read_local(cx, voice, syntax, word);
  if (!address) return false;
  if (!is_ip(syntax)) {
    addresses.push_back(std::move(*address));
    return true;
  }
  if (!listen_ports(cx, voice, syntax, word) || !read_host(cx, voice, syntax, word, true, *address)) return false;
  const std::uint32_t last = syntax.port_kind == Syntax::PortKind::range ? syntax.port_end : syntax.port;
  for (std::uint32_t port = syntax.port; port <= last; ++port) {
    address->port = static_cast<std::uint16_t>(port);
    addresses.push_back(*address);
  }
  return true;
}

}  // namespace

std::optional<std::vector<model::Address>> read_listen_addresses(ReadContext& cx, const Voice& voice,
                                                                 const grammar::Word& written) {
  const grammar::Word word = grammar::expand_address(written, cx.environment);
  const auto list = parsed(cx, voice, word, grammar::parse_addresses);
  if (!list) return std::nullopt;
  std::vector<model::Address> addresses;
  for (const Syntax& syntax : *list) {
    if (!append_listen(cx, voice, syntax, word, addresses)) return std::nullopt;
  }
  return addresses;
}

std::optional<ServerAddress> read_server_address(ReadContext& cx, const Voice& voice, const grammar::Word& written) {
  const grammar::Word word = grammar::expand_address(written, cx.environment);
  const auto syntax = parsed(cx, voice, word, grammar::parse_address);
  if (!syntax || refused_kind(cx, voice, *syntax, word)) return std::nullopt;
  if (syntax->kind == Syntax::Kind::datagram) {
    refuse(cx, voice, syntax->span, fmt::format("dgram-type address not acceptable in '{}'", word.text));
    return std::nullopt;
  }
  if (syntax->family == Syntax::Family::descriptor) {
    refuse(cx, voice, syntax->span, fmt::format("a file descriptor is not acceptable here in '{}'", word.text));
    return std::nullopt;
  }
  std::optional<model::Address> address = read_local(cx, voice, *syntax, word);
  if (!address) return std::nullopt;
  ServerAddress result;
  result.address = std::move(*address);
  if (!is_ip(*syntax)) return result;
  if (!read_host(cx, voice, *syntax, word, false, result.address)) return std::nullopt;
  switch (syntax->port_kind) {
    case Syntax::PortKind::none: result.port_given = false; break;
    case Syntax::PortKind::plus:
    case Syntax::PortKind::minus:
      result.port_given = false;
      result.port_offset = static_cast<std::int32_t>(syntax->port);
      if (syntax->port_kind == Syntax::PortKind::minus) result.port_offset = -result.port_offset;
      break;
    case Syntax::PortKind::range:
      refuse(cx, voice, syntax->span, fmt::format("port range not permitted here in '{}'", word.text));
      return std::nullopt;
    case Syntax::PortKind::single:
      // Port 0 is the client's, as when it is left out.
      result.port_given = syntax->port != 0;
      if (syntax->port > kPortMax) {
        refuse(cx, voice, syntax->span, fmt::format("invalid port '{}'", syntax->port_text));
        return std::nullopt;
      }
      result.address.port = static_cast<std::uint16_t>(syntax->port);
      break;
  }
  return result;
}

std::optional<model::Address> read_log_address(ReadContext& cx, const Voice& voice, const grammar::Word& written) {
  const grammar::Word word = grammar::expand_address(written, cx.environment);
  if (word.text == "stdout" || word.text == "stderr") {
    model::Address address;
    address.family = abi::Address::Family::descriptor;
    address.descriptor = word.text == "stdout" ? 1 : 2;
    address.span = word.span;
    return address;
  }
  const auto syntax = parsed(cx, voice, word, grammar::parse_address);
  if (!syntax || refused_kind(cx, voice, *syntax, word)) return std::nullopt;
  if (syntax->kind == Syntax::Kind::stream) {
    not_supported(cx, voice, syntax->span, fmt::format("logging over a stream ('{}')", word.text));
    return std::nullopt;
  }
  std::optional<model::Address> address = read_local(cx, voice, *syntax, word);
  if (!address || !is_ip(*syntax)) return address;
  if (!read_host(cx, voice, *syntax, word, true, *address)) return std::nullopt;
  if (syntax->port_kind != Syntax::PortKind::none && syntax->port_kind != Syntax::PortKind::single) {
    refuse(cx, voice, syntax->span, fmt::format("port range not permitted here in '{}'", word.text));
    return std::nullopt;
  }
  if (syntax->port > kPortMax) {
    refuse(cx, voice, syntax->span, fmt::format("invalid port '{}'", syntax->port_text));
    return std::nullopt;
  }
  const bool given = syntax->port_kind == Syntax::PortKind::single && syntax->port != 0;
  address->port = given ? static_cast<std::uint16_t>(syntax->port) : kSyslogPort;
  return address;
}

}  // namespace hawser::compiler
