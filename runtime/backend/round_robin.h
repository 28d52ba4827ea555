// Chooses servers in proportion to their weights, evenly spread over time (haproxy's `balance roundrobin`).
//
// Weights and administrative states may change while traffic flows; a change takes effect when the server's
// turn comes. A pick costs O(log n). One a worker and backend: shares are right with any number of workers,
// sequences equal haproxy's with one worker and equal weights.
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
  // A server's next turn. Turns come in order of `time`; at the same time the heavier one first, then the one
  // that waits longest.
  struct Turn {
    std::uint64_t time;
    std::uint64_t queued;
    std::uint32_t server;
    std::uint32_t weight;
    bool operator<(const Turn& other) const noexcept;  // later, as std::push_heap wants it
  };
  static constexpr std::uint64_t kLap = std::uint64_t{720'720} << 16;  // divided by the weight: the time between turns
  static std::uint32_t weight_of(const tables::Installed::ServerRow& row) noexcept;
  void queue(Turn turn) noexcept;

  std::span<const tables::Installed::ServerRow> servers_;
  std::vector<Turn> turns_;  // a heap with one turn for each server
  std::uint64_t queued_ = 0;
};

}  // namespace hawser::backend
