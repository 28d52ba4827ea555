#include "runtime/backend/round_robin.h"

#include <algorithm>

namespace hawser::backend {

bool RoundRobin::Turn::operator<(const Turn& other) const noexcept {
  const std::uint64_t place = (time + kUnit - 1) / kUnit;
  const std::uint64_t other_place = (other.time + kUnit - 1) / kUnit;
  if (place != other_place) return place > other_place;
  if (weight != other.weight) return weight < other.weight;
  return queued > other.queued;
}

RoundRobin::RoundRobin(std::span<const tables::Installed::ServerRow> servers) : servers_(servers) {
  turns_.reserve(servers.size());
  for (const auto& row : servers) weight_sum_ += weight_of(row);
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    const std::uint32_t weight = weight_of(servers[i]);
    queue({lap(weight) / 2, 0, i, weight});
  }
}

std::uint64_t RoundRobin::lap(std::uint32_t weight) const noexcept {
  return kUnit * std::max<std::uint64_t>(weight_sum_, 1) / std::max(weight, 1u);
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
  if (turn.time > std::uint64_t{1} << 62) rebase();
}

// Before time overflows, after some billions of picks: the differences are what matters.
void RoundRobin::rebase() noexcept {
  const std::uint64_t base = turns_.front().time / kUnit * kUnit;
  for (Turn& turn : turns_) turn.time -= std::min(base, turn.time);
  std::make_heap(turns_.begin(), turns_.end());
}

std::int32_t RoundRobin::pick(std::int32_t avoid) noexcept {
  std::int32_t avoided = kNone;
  for (std::size_t tries = turns_.size(); tries > 0; --tries) {
    std::pop_heap(turns_.begin(), turns_.end());
    Turn turn = turns_.back();
    turns_.pop_back();
    const std::uint32_t weight = weight_of(servers_[turn.server]);
    weight_sum_ += weight;
    weight_sum_ -= turn.weight;
    queue({turn.time + lap(weight), 0, turn.server, weight});
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
