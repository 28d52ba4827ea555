// The ring on epoll, for where io_uring is refused: many containers' seccomp profiles do.
#pragma once

#include "runtime/io/ring.h"

namespace hawser::io {

Result<std::unique_ptr<Ring>> make_epoll_ring(const RingOptions& options);

}  // namespace hawser::io
