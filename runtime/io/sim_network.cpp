#include "runtime/io/sim_network.h"

#include <algorithm>
#include <optional>

#include "runtime/base/check.h"
#include "runtime/io/sim_ring.h"

namespace hawser::io {

using PieceKind = SimSocket::PieceKind;

// Work takes time, also work in vain: a worker that tries again and again does not stop the clock.
constexpr std::uint64_t kBusyTurnUs = 10;

Simulation::Simulation(const SimOptions& options) : options_(options), random_(options.seed) {
  now_.monotonic_us = 1'000'000'000;
  now_.wall_us = 1'700'000'000'000'000;
}

Simulation::~Simulation() { HAWSER_CHECK(rings_.empty()); }

std::unique_ptr<Ring> Simulation::make_ring(const RingOptions& options) {
  auto ring = std::make_unique<SimRing>(*this, options);
  rings_.push_back(ring.get());
  return ring;
}

// ---- sockets ---------------------------------------------------------------------------------------

SimSocket& Simulation::socket(Descriptor descriptor) {
  const int index = descriptor - kFirstDescriptor;
  HAWSER_CHECK(index >= 0);
  HAWSER_CHECK(static_cast<std::size_t>(index) < sockets_.size());
  SimSocket& found = sockets_[static_cast<std::size_t>(index)];
  HAWSER_CHECK(found.used);             // else: a descriptor that is closed
  HAWSER_CHECK(found.peer == nullptr);  // else: a descriptor that is not the worker's
  return found;
}

// The lowest free number, as the kernel does it: whoever goes on using a closed descriptor meets another connection.
int Simulation::add_socket() {
  auto free = std::find_if(sockets_.begin(), sockets_.end(), [](const SimSocket& each) { return !each.used; });
  if (free == sockets_.end()) free = sockets_.insert(sockets_.end(), SimSocket{});
  *free = {};
  free->used = true;
  return static_cast<int>(free - sockets_.begin());
}

std::pair<int, int> Simulation::add_connection(const SocketAddress& near, const SocketAddress& far) {
  const int ends[2] = {add_socket(), add_socket()};
  for (int i = 0; i < 2; ++i) {
    SimSocket& end = sockets_[static_cast<std::size_t>(ends[i])];
    end.connected = true;
    end.other = ends[1 - i];
    end.local = i == 0 ? near : far;
    end.remote = i == 0 ? far : near;
  }
  return {ends[0], ends[1]};
}

std::uint64_t Simulation::under_way_us(unsigned after_ms) {
  std::uint64_t wait_us = std::uint64_t{after_ms} * 1000;
  if (chance(options_.late)) wait_us += random_() % (std::uint64_t{options_.late_ms} * 1000 + 1);
  return now_.monotonic_us + wait_us;
}

// Sends a piece to a socket's inbox; pieces of one connection never overtake each other.
void Simulation::deliver(int to, PieceKind kind, std::string_view bytes, unsigned after_ms) {
  SimSocket& at = sockets_[static_cast<std::size_t>(to)];
  at.last_due_us = std::max(at.last_due_us, under_way_us(after_ms));
  at.inbox.push_back({at.last_due_us, kind, std::string(bytes)});
  at.inbox_bytes += bytes.size();
}

// The far end sees the end of the stream, or a reset when unread bytes are thrown away, as TCP has it.
void Simulation::close_end(int index) {
  SimSocket& end = sockets_[static_cast<std::size_t>(index)];
  if (end.listening) {
    for (const auto& [due, waiting] : end.backlog) close_end(waiting);
  }
  if (end.other >= 0) {
    SimSocket& other = sockets_[static_cast<std::size_t>(end.other)];
    const bool unread = std::any_of(end.inbox.begin(), end.inbox.end(),
                                    [](const SimSocket::Piece& piece) { return piece.kind == PieceKind::bytes; });
    if (end.resets || unread) {
      deliver(end.other, PieceKind::reset, {}, 0);
    } else if (!end.finished) {
      deliver(end.other, PieceKind::end, {}, 0);
    }
    other.other = -1;
    other.peer_gone = true;
  }
  if (end.peer != nullptr) end.peer->socket_ = -1;
  end = {};
  happened_ = true;
}

std::size_t Simulation::open_descriptors() const {
  return static_cast<std::size_t>(std::count_if(
      sockets_.begin(), sockets_.end(), [](const SimSocket& each) { return each.used && each.peer == nullptr; }));
}

// ---- connections -----------------------------------------------------------------------------------

Descriptor Simulation::listen(const SocketAddress& address) {
  const int index = add_socket();
  sockets_[static_cast<std::size_t>(index)].listening = true;
  sockets_[static_cast<std::size_t>(index)].local = address;
  return kFirstDescriptor + index;
}

SimPeer& Simulation::connect_to(Descriptor listener, unsigned after_ms) {
  const SocketAddress client = SocketAddress::ip(IpAddress::v4(0xc0000202), next_port_++);  // 192.0.2.2
  const auto [near, far] = add_connection(socket(listener).local, client);
  peers_.push_back(std::make_unique<SimPeer>());
  SimPeer& peer = *peers_.back();
  peer.simulation_ = this;
  peer.socket_ = far;
  sockets_[static_cast<std::size_t>(far)].peer = &peer;
  socket(listener).backlog.emplace_back(under_way_us(after_ms), near);
  happened_ = true;
  return peer;
}

void Simulation::serve(const SocketAddress& address, std::function<void(SimPeer&)> on_connect) {
  targets_[address.to_string()] = {std::move(on_connect), 0, 0};
}

void Simulation::fail_connects(const SocketAddress& address, int error, unsigned after_ms) {
  targets_[address.to_string()] = {nullptr, error, after_ms};
}

void Simulation::start_connect(SimSocket& from, const SocketAddress& address) {
  from.remote = address;
  from.local = SocketAddress::ip(IpAddress::v4(0xc0000201), next_port_++);  // 192.0.2.1
  const auto target = targets_.find(address.to_string());
  const bool silent = target != targets_.end() && !target->second.on_connect && target->second.error == 0;
  from.connect_result = target == targets_.end() ? -ECONNREFUSED : -target->second.error;
  from.connect_due_us =
      silent ? ~std::uint64_t{0} : under_way_us(target == targets_.end() ? 0 : target->second.after_ms);
}

void Simulation::finish_connect(int index) {
  const auto target = targets_.find(sockets_[static_cast<std::size_t>(index)].remote.to_string());
  HAWSER_CHECK(target != targets_.end());
  const int far = add_socket();
  SimSocket& near_end = sockets_[static_cast<std::size_t>(index)];
  SimSocket& far_end = sockets_[static_cast<std::size_t>(far)];
  near_end.connected = far_end.connected = true;
  near_end.other = far;
  far_end.other = index;
  far_end.local = near_end.remote;
  far_end.remote = near_end.local;
  peers_.push_back(std::make_unique<SimPeer>());
  SimPeer& peer = *peers_.back();
  peer.simulation_ = this;
  peer.socket_ = far;
  far_end.peer = &peer;
  target->second.on_connect(peer);
}

// ---- peers -----------------------------------------------------------------------------------------

void SimPeer::send(std::string_view bytes, unsigned after_ms) {
  if (socket_ < 0 || bytes.empty()) return;
  const int other = simulation_->sockets_[static_cast<std::size_t>(socket_)].other;
  if (other >= 0) simulation_->deliver(other, PieceKind::bytes, bytes, after_ms);
  simulation_->happened_ = true;
}

void SimPeer::finish(unsigned after_ms) {
  if (socket_ < 0) return;
  SimSocket& own = simulation_->sockets_[static_cast<std::size_t>(socket_)];
  if (own.other >= 0 && !std::exchange(own.finished, true))
    simulation_->deliver(own.other, PieceKind::end, {}, after_ms);
  simulation_->happened_ = true;
}

void SimPeer::reset(unsigned after_ms) {
  if (socket_ < 0) return;
  SimSocket& own = simulation_->sockets_[static_cast<std::size_t>(socket_)];
  if (own.other >= 0) simulation_->deliver(own.other, PieceKind::reset, {}, after_ms);
  own.finished = true;
  own.inbox.clear();
  own.inbox_bytes = 0;
  lost_ = true;
  simulation_->happened_ = true;
}

const SocketAddress& SimPeer::address() const {
  HAWSER_CHECK(socket_ >= 0);
  return simulation_->sockets_[static_cast<std::size_t>(socket_)].local;
}

void Simulation::run_peer(SimPeer& peer) {
  bool event = false;
  while (peer.socket_ >= 0 && !peer.paused_ && arrived(sockets_[static_cast<std::size_t>(peer.socket_)])) {
    SimSocket& own = sockets_[static_cast<std::size_t>(peer.socket_)];
    const SimSocket::Piece piece = std::move(own.inbox.front());
    own.inbox.pop_front();
    own.inbox_bytes -= piece.bytes.size();
    event = true;
    if (!peer.lost_) peer.received_ += piece.bytes;
    if (piece.kind != PieceKind::bytes) peer.ended_ = true;
    if (piece.kind == PieceKind::reset) peer.was_reset_ = true;
  }
  if (!event) return;
  happened_ = true;
  if (peer.on_event) peer.on_event(peer);
}

void Simulation::run_peers() {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    run_peer(*peers_[i]);
    // A peer that has sent its end and seen the other's is done with.
    SimPeer& peer = *peers_[i];
    if (peer.socket_ < 0) continue;
    const SimSocket& own = sockets_[static_cast<std::size_t>(peer.socket_)];
    if (own.other < 0 && own.inbox.empty()) close_end(peer.socket_);
  }
}

// ---- time ------------------------------------------------------------------------------------------

bool Simulation::step() {
  run_peers();
  const bool held_back = std::exchange(held_back_, false);
  if (std::exchange(happened_, false)) {
    move_clock(now_.monotonic_us + kBusyTurnUs);
    return true;
  }
  std::optional<std::uint64_t> next;
  const auto consider = [&](std::uint64_t due_us) {
    if (due_us == ~std::uint64_t{0}) return;
    due_us = std::max(due_us, now_.monotonic_us + 1);
    if (!next || due_us < *next) next = due_us;
  };
  for (const SimSocket& each : sockets_) {
    if (!each.used) continue;
    if (!each.inbox.empty() && !passed(each.inbox.front().due_us)) consider(each.inbox.front().due_us);
    if (!each.backlog.empty() && !passed(each.backlog.front().first)) consider(each.backlog.front().first);
    if (each.connect_result <= 0 && !passed(each.connect_due_us)) consider(each.connect_due_us);
  }
  if (held_back) consider(now_.monotonic_us + 1000);
  for (const SimRing* ring : rings_) consider(ring->deadline_us());
  if (!next) return false;
  move_clock(*next);
  run_peers();
  return true;
}

void Simulation::move_clock(std::uint64_t to_us) {
  now_.wall_us += static_cast<std::int64_t>(to_us - now_.monotonic_us);
  now_.monotonic_us = to_us;
}

}  // namespace hawser::io
