// When may what workers read without a lock be freed? Once each of them has been at rest since it was replaced.
//
// A worker is at work from its first look at something shared until the end of its loop turn; between turns it holds nothing
// of it. It says so in a counter on a line of its own, odd while it is at work, that no other thread writes. Whoever replaces
// something first publishes what is new, then takes a mark; a worker that begins to work later sees what is new. A worker that looks at
// nothing, or waits, is at rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hawser::tables {

class RestPoints {
 public:
  explicit RestPoints(std::size_t workers) : workers_(workers) {}

  // For that worker's thread alone: before it looks at what is published (with memory order seq_cst, which costs a reader nothing
  // on x86), and at the end of its turn.
  void begin_work(std::size_t worker) noexcept {
    std::atomic<std::uint64_t>& count = workers_[worker].count;
    const std::uint64_t now = count.load(std::memory_order_relaxed);
    if ((now & 1) == 0) count.exchange(now + 1, std::memory_order_seq_cst);
  }
  void rest(std::size_t worker) noexcept {
    std::atomic<std::uint64_t>& count = workers_[worker].count;
    const std::uint64_t now = count.load(std::memory_order_relaxed);
    if ((now & 1) != 0) count.store(now + 1, std::memory_order_release);
  }

  // For whoever replaces things: where the workers stand now, and whether all that were at work then have been at rest since.
  using Mark = std::vector<std::uint64_t>;
  Mark mark() const;
  bool passed(const Mark& mark) const noexcept;

 private:
  struct alignas(64) Worker {
    std::atomic<std::uint64_t> count{0};
  };
  std::vector<Worker> workers_;
};

}  // namespace hawser::tables
