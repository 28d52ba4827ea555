// What a Plan's rows mean to sockets.
#include "runtime/abi/plan.h"

#include <cstring>

namespace hawser::abi {

std::optional<SocketAddress> socket_address(const ImageView& image, const Address& address) noexcept {
  IpAddress ip;
  std::memcpy(ip.bytes.data(), address.ip, sizeof address.ip);
  switch (address.family) {
    case Address::Family::v4: ip.family = IpAddress::Family::v4; return SocketAddress::ip(ip, address.port);
    case Address::Family::v6: ip.family = IpAddress::Family::v6; return SocketAddress::ip(ip, address.port);
    case Address::Family::unix_path: return SocketAddress::unix_path(image.text(address.path), false);
    case Address::Family::abstract: return SocketAddress::unix_path(image.text(address.path), true);
    case Address::Family::none:
    case Address::Family::descriptor: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hawser::abi
