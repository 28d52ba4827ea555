// Network addresses as values: of a host (`IpAddress`), and of a socket (`SocketAddress`).
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

// IPv4 in the first four bytes, or IPv6 in all sixteen; network byte order. `none`: no address.
struct IpAddress {
  enum class Family : std::uint8_t { none, v4, v6 };
  Family family = Family::none;
  std::array<std::uint8_t, 16> bytes{};

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

  // Numeric forms only ("192.0.2.1", "2001:db8::1", no brackets, no zone).
  static std::optional<IpAddress> parse(std::string_view text) noexcept;
  static IpAddress v4(std::uint32_t host_order) noexcept;
  std::uint32_t v4_host_order() const noexcept;
  std::string to_string() const;
};

// A socket address of any family that we use, with its length. `size` 0: none.
struct SocketAddress {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
    sockaddr_storage storage;
  };
  socklen_t size = 0;

  SocketAddress() noexcept : storage{} {}
  static SocketAddress ip(const IpAddress& address, std::uint16_t port) noexcept;
  // A path, or, with `abstract`, an abstract name padded with zeros to the whole of sun_path
  // (as haproxy's abns@ does). Nothing when the name does not fit.
  static std::optional<SocketAddress> unix_path(std::string_view path, bool abstract) noexcept;

  int family() const noexcept { return size == 0 ? AF_UNSPEC : any.sa_family; }
  IpAddress ip() const noexcept;        // `none` unless AF_INET or AF_INET6
  std::uint16_t port() const noexcept;  // 0 unless AF_INET or AF_INET6
  std::string to_string() const;        // "192.0.2.1:80", "[2001:db8::1]:80", "/path", "abns@name"
};

}  // namespace hawser
