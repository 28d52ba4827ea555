#include "runtime/net/sockets.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace hawser::net {

Result<IpAddress> look_up(std::string_view host) {
  if (const std::optional<IpAddress> numeric = IpAddress::parse(host)) return *numeric;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;  // each address once
  addrinfo* list = nullptr;
  const int failure = getaddrinfo(std::string(host).c_str(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(failure == 0 ? list : nullptr, [](addrinfo* all) {
    if (all != nullptr) freeaddrinfo(all);
  });
  for (const addrinfo* info = owner.get(); info != nullptr; info = info->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, info->ai_addr, std::min<std::size_t>(info->ai_addrlen, sizeof address.storage));
    address.size = info->ai_addrlen;
    if (address.ip().family != IpAddress::Family::none) return address.ip();
  }
  return Error{0, fmt::format("could not resolve address '{}'", host)};
}

Result<SocketAddress> socket_address(const abi::Address& address, const abi::ImageView& plan) {
  using Family = abi::Address::Family;
  switch (address.family) {
    case Family::v4:
    case Family::v6: {
      IpAddress ip;
      ip.family = address.family == Family::v4 ? IpAddress::Family::v4 : IpAddress::Family::v6;
      std::copy_n(address.ip, ip.family == IpAddress::Family::v4 ? 4 : 16, ip.bytes.begin());
      return SocketAddress::ip(ip, address.port);
    }
    case Family::unix_path:
    case Family::abstract: {
      const std::string_view path = plan.text(address.path);
      const auto local = SocketAddress::unix_path(path, address.family == Family::abstract);
      if (!local) return Error{ENAMETOOLONG, fmt::format("socket path '{}' too long", path)};
      return *local;
    }
    case Family::none: {
      Result<IpAddress> ip = look_up(plan.text(address.path));
      if (!ip) return ip.error();
      return SocketAddress::ip(*ip, address.port);
    }
    case Family::descriptor: break;
  }
  return Error{EINVAL, fmt::format("file descriptor {} has no address", address.descriptor)};
}

}  // namespace hawser::net
