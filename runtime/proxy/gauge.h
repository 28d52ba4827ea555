// Counts that all workers write, with their limits: connections of a frontend, and of the process. Touched when a
// connection comes or goes, never by a request (contract 8).
#pragma once

#include <atomic>
#include <cstdint>

namespace hawser::proxy {

class alignas(64) Gauge {
 public:
  void set_limit(std::uint32_t limit) noexcept { limit_ = limit; }  // 0: none; before any worker runs

  // False when the limit is reached.
  bool take() noexcept {
    std::uint32_t now = count_.load(std::memory_order_relaxed);
    do {
      if (limit_ != 0 && now >= limit_) return false;
    } while (!count_.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst));
    return true;
  }
  // True when somebody may wait for room.
  bool give_back() noexcept {
    count_.fetch_sub(1, std::memory_order_seq_cst);
    return waiting_.load(std::memory_order_seq_cst) && waiting_.exchange(false, std::memory_order_seq_cst);
  }
  // After take() failed: give_back() will say so. The caller looks once more at full() afterwards.
  void wait() noexcept { waiting_.store(true, std::memory_order_seq_cst); }
  bool full() const noexcept { return limit_ != 0 && count_.load(std::memory_order_seq_cst) >= limit_; }
  std::uint32_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> count_{0};
  std::atomic<bool> waiting_{false};
  std::uint32_t limit_ = 0;
};

}  // namespace hawser::proxy
