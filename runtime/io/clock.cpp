#include "runtime/io/clock.h"

#include <ctime>

namespace hawser::io {

Now Now::read() noexcept {
  timespec monotonic{};
  timespec wall{};
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  clock_gettime(CLOCK_REALTIME, &wall);
  return {
      static_cast<std::uint64_t>(monotonic.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(monotonic.tv_nsec) / 1000,
      static_cast<std::int64_t>(wall.tv_sec) * 1'000'000 + wall.tv_nsec / 1000};
}

}  // namespace hawser::io
