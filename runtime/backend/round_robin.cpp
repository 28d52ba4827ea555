#include "runtime/backend/round_robin.h"

#include <algorithm>

namespace hawser::backend {

bool RoundRobin::Turn::operator<(const Turn& other) const noexcept {
  if (time != other.time) return time > other.time;
  if (weight != other.weight) return weight < other.weight;
  return queued > other.queued;
}

RoundRobin::RoundRobin(std::span<const tables::Installed::ServerRow> servers) : servers_(servers) {
  turns_.reserve(servers.size());
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    const std::uint32_t weight = weight_of(servers[i]);
    queue({kLap / std::max(weight, 1u), 0, i, weight});
  }
}

// 0: not to be chosen.
std::uint32_t RoundRobin::weight_of(const tables::Installed::ServerRow& row) noexcept {
  if (row.state->admin.load(std::memory_order_relaxed) != tables::ServerAdmin::ready) return 0;
  return row.state->weight.load(std::memory_order_relaxed);
}

void RoundRobin::queue(Turn turn) noexcept {
  turn.queued = queued_++;
  turns_.push_back(turn);
  std::push_heap(turns_.begin(), turns_.end());
}

std::int32_t RoundRobin::pick(std::int32_t avoid) noexcept {
  std::int32_t avoided = kNone;
  for (std::size_t tries = turns_.size(); tries > 0; --tries) {
    std::pop_heap(turns_.begin(), turns_.end());
    Turn turn = turns_.back();
    turns_.pop_back();
    const std::uint32_t weight = weight_of(servers_[turn.server]);
    queue({turn.time + kLap / std::max(weight, 1u), 0, turn.server, weight});
    if (weight == 0) continue;
    const auto server = static_cast<std::int32_t>(turn.server);
    if (server != avoid) return server;
    avoided = server;
  }
  // The heap may have passed a heavy server several times: look at each once.
  for (std::uint32_t i = 0; i < servers_.size(); ++i) {
    if (static_cast<std::int32_t>(i) != avoid && weight_of(servers_[i]) != 0) return static_cast<std::int32_t>(i);
  }
  if (avoided == kNone && avoid != kNone && weight_of(servers_[static_cast<std::size_t>(avoid)]) != 0) return avoid;
  return avoided;
}

std::size_t RoundRobin::usable() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(servers_.begin(), servers_.end(), [](const auto& row) { return weight_of(row) != 0; }));
}

}  // namespace hawser::backend
