// The ring on io_uring.
#pragma once

#include "runtime/io/ring.h"

namespace hawser::io {

// An error where the kernel has no io_uring, has an older one than 6.0, or does not let us use it.
Result<std::unique_ptr<Ring>> make_uring_ring(const RingOptions& options);

}  // namespace hawser::io
