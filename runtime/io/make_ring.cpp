// Chooses the implementation of the ring.
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "runtime/io/epoll_ring.h"
#include "runtime/io/ring.h"
#include "runtime/io/uring_ring.h"

namespace hawser::io {

Result<std::unique_ptr<Ring>> make_ring(const RingOptions& options) {
  RingKind kind = options.kind;
  if (kind == RingKind::automatic) {
    const char* variable = std::getenv("HAWSER_RING");
    const std::string_view wish = variable == nullptr ? "" : variable;
    if (wish == "epoll") {
      kind = RingKind::epoll;
    } else if (wish == "io_uring") {
      kind = RingKind::uring;
    } else if (!wish.empty()) {
      return Error{0, fmt::format("HAWSER_RING is '{}'; it may be 'epoll' or 'io_uring'", wish)};
    }
  }
  if (kind == RingKind::epoll) return make_epoll_ring(options);
  Result<std::unique_ptr<Ring>> ring = make_uring_ring(options);
  if (ring.ok() || kind == RingKind::uring) return ring;
  return make_epoll_ring(options);
}

}  // namespace hawser::io
