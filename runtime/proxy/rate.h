// How many events there were in the last second, with a limit. All workers write it; touched when a connection comes, never by
// a request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace hawser::proxy {

// As haproxy reckons: this second's events, and of the last second's those that are less than a second old, as if they had come
// evenly.
class Rate {
 public:
  void set_limit(std::uint32_t limit) noexcept { limit_ = limit; }  // 0: none; before any worker runs

  void count(std::uint64_t now_ms) noexcept {
    if (limit_ == 0) return;
    const std::lock_guard lock(mutex_);
    turn(now_ms);
    ++current_;
  }

  // Milliseconds until another one may come; 0: now.
  std::uint32_t wait_ms(std::uint64_t now_ms) noexcept {
    if (limit_ == 0) return 0;
    const std::lock_guard lock(mutex_);
    turn(now_ms);
    const std::uint64_t elapsed = now_ms - std::min(second_ms_, now_ms);  // another worker's clock may be ahead
    const std::uint64_t recent = current_ + last_ * (kSecondMs - elapsed) / kSecondMs;
    if (recent < limit_) return 0;
    return std::max<std::uint32_t>(1, kSecondMs / limit_);
  }

 private:
  static constexpr std::uint32_t kSecondMs = 1000;

  void turn(std::uint64_t now_ms) noexcept {
    if (now_ms < second_ms_ + kSecondMs) return;
    last_ = now_ms < second_ms_ + 2 * kSecondMs ? current_ : 0;
    second_ms_ = last_ != 0 ? second_ms_ + kSecondMs : now_ms;
    current_ = 0;
  }

  std::mutex mutex_;
  std::uint32_t limit_ = 0;
  std::uint64_t second_ms_ = 0;
  std::uint64_t current_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace hawser::proxy
