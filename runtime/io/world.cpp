// What a ring on a kernel does at once, by a plain system call.
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "runtime/io/ring.h"

namespace hawser::io {

Descriptor Ring::open_stream(int family) noexcept {
  const Descriptor descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  if (family != AF_UNIX) {
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return descriptor;
}

void Ring::finish(Descriptor descriptor) noexcept { shutdown(descriptor, SHUT_WR); }

void Ring::reset_on_close(Descriptor descriptor) noexcept {
  const linger at_once{1, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Ring::drop_on_close(Descriptor descriptor) noexcept {
  const int on = 1;
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on) == 0) return;
  reset_on_close(descriptor);
  if (local_address(descriptor).family() == AF_INET) {
    setsockopt(descriptor, IPPROTO_IP, IP_TTL, &on, sizeof on);
  } else {
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &on, sizeof on);
  }
}

SocketAddress Ring::local_address(Descriptor descriptor) noexcept {
  SocketAddress address;
  socklen_t size = sizeof address.storage;
  if (getsockname(descriptor, &address.any, &size) == 0) address.size = size;
  return address;
}

SocketAddress Ring::peer_address(Descriptor descriptor) noexcept {
  SocketAddress address;
  socklen_t size = sizeof address.storage;
  if (getpeername(descriptor, &address.any, &size) == 0) address.size = size;
  return address;
}

Now Ring::now() noexcept { return Now::read(); }

}  // namespace hawser::io
