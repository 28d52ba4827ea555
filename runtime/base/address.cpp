#include "runtime/base/address.h"

#include <arpa/inet.h>

#include <cstring>

#include <fmt/format.h>

namespace hawser {

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  char buffer[INET6_ADDRSTRLEN + 1];
  if (text.empty() || text.size() >= sizeof buffer) return std::nullopt;
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  if (std::strlen(buffer) != text.size()) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, buffer, address.bytes.data()) == 1) {
    address.family = Family::v4;
  } else if (inet_pton(AF_INET6, buffer, address.bytes.data()) == 1) {
    address.family = Family::v6;
  } else {
    return std::nullopt;
  }
  return address;
}

IpAddress IpAddress::v4(std::uint32_t host_order) noexcept {
  IpAddress address;
  address.family = Family::v4;
  for (int i = 0; i < 4; ++i) address.bytes[i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  return address;
}

std::uint32_t IpAddress::v4_host_order() const noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::string IpAddress::to_string() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  if (family == Family::v4) inet_ntop(AF_INET, bytes.data(), buffer, sizeof buffer);
  if (family == Family::v6) inet_ntop(AF_INET6, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

SocketAddress SocketAddress::ip(const IpAddress& address, std::uint16_t port) noexcept {
  SocketAddress socket;
  if (address.family == IpAddress::Family::v4) {
    socket.v4.sin_family = AF_INET;
    socket.v4.sin_port = htons(port);
    std::memcpy(&socket.v4.sin_addr, address.bytes.data(), 4);
    socket.size = sizeof socket.v4;
  } else if (address.family == IpAddress::Family::v6) {
    socket.v6.sin6_family = AF_INET6;
    socket.v6.sin6_port = htons(port);
    std::memcpy(&socket.v6.sin6_addr, address.bytes.data(), 16);
    socket.size = sizeof socket.v6;
  }
  return socket;
}

std::optional<SocketAddress> SocketAddress::unix_path(std::string_view path, bool abstract) noexcept {
  SocketAddress socket;
  const std::size_t room = sizeof socket.local.sun_path - 1;
  if (path.empty() || path.size() > room) return std::nullopt;
  socket.local.sun_family = AF_UNIX;
  std::memcpy(socket.local.sun_path + (abstract ? 1 : 0), path.data(), path.size());
  socket.size = sizeof socket.local;
  return socket;
}

IpAddress SocketAddress::ip() const noexcept {
  IpAddress address;
  if (family() == AF_INET) {
    address.family = IpAddress::Family::v4;
    std::memcpy(address.bytes.data(), &v4.sin_addr, 4);
  } else if (family() == AF_INET6) {
    address.family = IpAddress::Family::v6;
    std::memcpy(address.bytes.data(), &v6.sin6_addr, 16);
  }
  return address;
}

std::uint16_t SocketAddress::port() const noexcept {
  if (family() == AF_INET) return ntohs(v4.sin_port);
  if (family() == AF_INET6) return ntohs(v6.sin6_port);
  return 0;
}

std::string SocketAddress::to_string() const {
  switch (family()) {
    case AF_INET: return fmt::format("{}:{}", ip().to_string(), port());
    case AF_INET6: return fmt::format("[{}]:{}", ip().to_string(), port());
    case AF_UNIX:
      if (local.sun_path[0] == '\0') {
        const char* name = local.sun_path + 1;
        return fmt::format("abns@{}", std::string_view(name, strnlen(name, sizeof local.sun_path - 1)));
      }
      return local.sun_path;
    default: return "none";
  }
}

}  // namespace hawser
