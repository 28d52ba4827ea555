// Chooses servers in proportion to their weights, evenly spread over time (haproxy's `balance roundrobin`).
//
// Weights and administrative states may change while traffic flows; a change takes effect when the server's
// turn comes. A pick costs O(log n). One a worker and backend: shares are right with any number of workers.
//
// A server of weight w has a turn every W/w places, W being the sum of all weights, and its first half of that
// from the start. Places are whole numbers: among the turns of a place the heaviest server goes first, then
// the one that waits longest. This is haproxy's sequence for equal weights, and for 1, 2, 3 (measured).
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
    std::uint64_t time;    // in kUnit-ths of a place
    std::uint64_t queued;  // counts up
    std::uint32_t server;
    std::uint32_t weight;
    bool operator<(const Turn& other) const noexcept;  // later, as std::push_heap wants it
  };
  static constexpr std::uint64_t kUnit = 720'720;  // divisible by 1 to 16, so that those weights make exact turns
  static std::uint32_t weight_of(const tables::Installed::ServerRow& row) noexcept;
  // From one turn of a server of that weight to the next.
  std::uint64_t lap(std::uint32_t weight) const noexcept;
  void queue(Turn turn) noexcept;
  void rebase() noexcept;

  std::span<const tables::Installed::ServerRow> servers_;
  std::vector<Turn> turns_;  // a heap with one turn for each server
  std::uint64_t queued_ = 0;
  std::uint64_t weight_sum_ = 0;  // of what `turns_` says
};

}  // namespace hawser::backend
