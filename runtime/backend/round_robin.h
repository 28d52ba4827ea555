// Chooses servers in proportion to their weights, evenly spread over time (haproxy's `balance roundrobin`).
//
// Weights and administrative states may change while traffic flows; a change takes effect when the server's
// turn comes. A pick costs O(log n). One a worker and backend: shares are right with any number of workers.
//
// The sequence is haproxy's (measured with 318 lists of weights; tests/differential/round_robin.py repeats it). A server of
// weight w has a turn every W/w picks, W being the sum of all weights. Its place is the whole part of that, and the
// remainder, in w-ths, is carried on. At each pick goes the earliest server whose place has come; else the heaviest that was
// never picked; else the earliest. Of two at one place goes the one with the smaller remainder less weight, then the one that
// waits longest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/tables/state.h"

namespace hawser::backend {

class RoundRobin {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit RoundRobin(std::span<const tables::Installed::ServerRow> servers);

  // The next usable server, or kNone. `avoid`: not this one while another is usable.
  std::int32_t pick(std::int32_t avoid = kNone) noexcept;

  // How many servers may be chosen now.
  std::size_t usable() const noexcept;

 private:
  struct Turn {
    std::uint64_t place = 0;
    std::uint64_t queued = 0;     // counts up
    std::uint32_t remainder = 0;  // below `weight`
    std::uint32_t weight = 0;     // 0: a server that is looked at, not picked
    std::uint32_t server = 0;
  };
  // Orders of heaps: whether `a` goes after `b`.
  static bool later(const Turn& a, const Turn& b) noexcept;
  static bool lighter(const Turn& a, const Turn& b) noexcept;

  static std::uint32_t weight_of(const tables::Installed::ServerRow& row) noexcept;
  Turn take() noexcept;
  void weigh(Turn& turn, std::uint32_t weight) noexcept;
  void advance(Turn& turn) const noexcept;
  void put(Turn turn) noexcept;
  void put_new(Turn turn) noexcept;
  std::int32_t any_but(std::int32_t avoid) const noexcept;

  std::span<const tables::Installed::ServerRow> servers_;
  // Invariant: each server has one turn, in one of the two heaps.
  std::vector<Turn> turns_;  // of those that were picked, and those of weight 0
  std::vector<Turn> fresh_;  // of those that were not picked yet
  std::uint64_t picks_ = 0;
  std::uint64_t queued_ = 0;
  std::uint64_t weight_sum_ = 0;  // of what the turns say
};

}  // namespace hawser::backend
