#include "runtime/backend/round_robin.h"

#include <algorithm>
#include <tuple>

namespace hawser::backend {

bool RoundRobin::later(const Turn& a, const Turn& b) noexcept {
  const auto order = [](const Turn& turn) {
    return std::tuple(turn.place, std::int64_t{turn.remainder} - std::int64_t{turn.weight}, turn.queued);
  };
  return order(a) > order(b);
}

bool RoundRobin::lighter(const Turn& a, const Turn& b) noexcept {
  return a.weight != b.weight ? a.weight < b.weight : a.queued > b.queued;
}

RoundRobin::RoundRobin(std::span<const tables::Installed::ServerRow> servers) : servers_(servers) {
  turns_.reserve(servers.size());
  fresh_.reserve(servers.size());
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    Turn turn{.server = i};
    weigh(turn, weight_of(servers[i]));
    turn.weight != 0 ? put_new(turn) : put(turn);
  }
}

// 0: not to be chosen.
std::uint32_t RoundRobin::weight_of(const tables::Installed::ServerRow& row) noexcept {
  if (row.state->admin.load(std::memory_order_relaxed) != tables::ServerAdmin::ready) return 0;
  return row.state->weight.load(std::memory_order_relaxed);
}

void RoundRobin::put(Turn turn) noexcept {
  turn.queued = queued_++;
  turns_.push_back(turn);
  std::push_heap(turns_.begin(), turns_.end(), later);
}

void RoundRobin::put_new(Turn turn) noexcept {
  turn.queued = queued_++;
  fresh_.push_back(turn);
  std::push_heap(fresh_.begin(), fresh_.end(), lighter);
}

// The turn that goes next, by what the turns say of weights.
RoundRobin::Turn RoundRobin::take() noexcept {
  const bool is_due = !turns_.empty() && turns_.front().place <= picks_;
  const bool is_fresh = !is_due && !fresh_.empty();
  std::vector<Turn>& heap = is_fresh ? fresh_ : turns_;
  std::pop_heap(heap.begin(), heap.end(), is_fresh ? lighter : later);
  Turn turn = heap.back();
  heap.pop_back();
  if (is_fresh) turn.place = picks_;
  return turn;
}

void RoundRobin::weigh(Turn& turn, std::uint32_t weight) noexcept {
  weight_sum_ += weight;
  weight_sum_ -= turn.weight;
  turn.weight = weight;
  turn.remainder = weight == 0 ? 0 : turn.remainder % weight;
}

// One of weight 0 is looked at again when as many were picked as there are servers, so that looking costs little.
void RoundRobin::advance(Turn& turn) const noexcept {
  if (turn.weight == 0) {
    turn.place = std::max(turn.place, picks_) + servers_.size();
    return;
  }
  const std::uint64_t lap = weight_sum_ + turn.remainder;
  turn.place += lap / turn.weight;
  turn.remainder = static_cast<std::uint32_t>(lap % turn.weight);
}

std::int32_t RoundRobin::pick(std::int32_t avoid) noexcept {
  // Those of weight 0 may come again before one whose turn is far, and those whose weight is another than their turn says.
  for (std::size_t tries = 4 * servers_.size(); tries > 0; --tries) {
    Turn turn = take();
    const std::uint32_t weight = weight_of(servers_[turn.server]);
    const bool is_back = turn.weight == 0 && weight != 0;
    weigh(turn, weight);
    if (is_back) {
      put_new(turn);
      continue;
    }
    advance(turn);
    put(turn);
    const auto server = static_cast<std::int32_t>(turn.server);
    if (weight == 0 || server == avoid) continue;
    ++picks_;
    return server;
  }
  return any_but(avoid);
}

// For when the heaps passed the server to avoid again and again.
std::int32_t RoundRobin::any_but(std::int32_t avoid) const noexcept {
  for (std::uint32_t i = 0; i < servers_.size(); ++i) {
    if (static_cast<std::int32_t>(i) != avoid && weight_of(servers_[i]) != 0) return static_cast<std::int32_t>(i);
  }
  return avoid != kNone && weight_of(servers_[static_cast<std::size_t>(avoid)]) != 0 ? avoid : kNone;
}

std::size_t RoundRobin::usable() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(servers_.begin(), servers_.end(), [](const auto& row) { return weight_of(row) != 0; }));
}

}  // namespace hawser::backend
