// Time as one worker sees it: read once a turn.
#pragma once

#include <cstdint>

namespace hawser::io {

// Monotonic for durations; the wall clock for dates in logs and fields.
struct Now {
  std::uint64_t monotonic_us = 0;
  std::int64_t wall_us = 0;  // since the epoch

  std::uint64_t ms() const noexcept { return monotonic_us / 1000; }
  static Now read() noexcept;
};

}  // namespace hawser::io
