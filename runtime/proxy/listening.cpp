#include "runtime/proxy/listening.h"

#include <algorithm>
#include <cerrno>

#include "runtime/proxy/session.h"

namespace hawser::proxy {

void Mailbox::put(const Letter& letter) {
  const std::lock_guard lock(mutex_);
  letters_.push_back(letter);
  full_.store(true, std::memory_order_release);
}

void Mailbox::take(std::vector<Letter>& letters) {
  const std::lock_guard lock(mutex_);
  letters.swap(letters_);
  full_.store(false, std::memory_order_release);
}

void Peer::wake() noexcept {
  const std::lock_guard lock(ring_mutex);
  if (io::Ring* awake = ring.load(std::memory_order_acquire)) awake->wake();
}

Listening::Listener::Listener(Listening& listening, std::uint32_t index) noexcept
    : io::Operation(&Listening::accepted), listening(listening), index(index) {
  const abi::Listener& row =
      listening.core_.generation.installed->image().rows(listening.core_.plan().listeners)[index];
  proxy = row.proxy;
  threads = row.threads;
}

Listening::RateTimer::RateTimer(Listening& listening) noexcept
    : io::Timer([](io::Timer& timer) noexcept { static_cast<RateTimer&>(timer).listening.look_for_room(); }),
      listening(listening) {}

Listening::Listening(Core& core, Peer& self, const std::vector<Peer*>& all) noexcept
    : core_(core), self_(self), all_(all), gauges_(*core.generation.gauges), rate_timer_(*this) {
  for (std::uint32_t i = 0; i < core.generation.listeners.size(); ++i) {
    listeners_.push_back(std::make_unique<Listener>(*this, i));
  }
  core_.listening = this;
}

Listening::~Listening() {
  core_.timers->disarm(rate_timer_);
  core_.listening = nullptr;
  self_.mailbox.take(letters_);
  for (const Mailbox::Letter& letter : letters_) core_.ring->close(letter.descriptor);
}

void Listening::start() noexcept {
  for (const auto& listener : listeners_) {
    if (!serves(*listener, core_.index)) continue;
    const io::Descriptor descriptor = core_.generation.listeners[listener->index];
    if (descriptor >= 0) core_.ring->accept(*listener, descriptor);  // of a disabled proxy: none
  }
}

void Listening::stop(Late late) noexcept {
  stopping_ = true;
  late_ = late;
  for (const auto& listener : listeners_) {
    core_.ring->cancel(*listener);
    for (const io::Descriptor descriptor : listener->waiting) core_.ring->close(descriptor);
    listener->waiting.clear();
  }
  self_.stopped.store(true, std::memory_order_release);
  for (Peer* peer : all_) {
    if (peer != &self_) peer->wake();
  }
}

bool Listening::all_stopped() const noexcept {
  for (const Peer* peer : all_) {
    if (!peer->stopped.load(std::memory_order_acquire)) return false;
  }
  return self_.mailbox.empty();
}

bool Listening::quiet() const noexcept {
  for (const auto& listener : listeners_) {
    if (listener->in_flight) return false;
  }
  return true;
}

void Listening::accepted(io::Operation& operation, const io::Completion& completion) noexcept {
  auto& listener = static_cast<Listener&>(operation);
  listener.listening.core_.tick();
  listener.listening.on_accept(listener, completion);
}

void Listening::on_accept(Listener& listener, const io::Completion& completion) noexcept {
  if (completion.result >= 0) {
    if (stopping_) {
      begin_late(listener, completion.result);
    } else if (listener.paused || !take_places(listener)) {
      listener.waiting.push_back(completion.result);
      pause(listener);
    } else {
      place(listener, completion.result);
    }
  }
  if (completion.more || stopping_) return;
  if (listener.paused) return look_for_room();
  // Out of descriptors, for one: wait until a session ends, or a while, rather than try in vain.
  const int error = completion.result < 0 ? -completion.result : 0;
  if (error != 0 && error != ECONNABORTED && error != EINTR) return pause(listener);
  core_.ring->accept(listener, core_.generation.listeners[listener.index]);
}

// A connection that came while we stopped: another process may have the socket, but this client is ours.
void Listening::begin_late(Listener& listener, io::Descriptor descriptor) noexcept {
  if (late_ == Late::close || !take_places(listener)) return core_.ring->close(descriptor);
  begin_session(descriptor, listener.index);
}

// Whether maxconnrate, maxsessrate and `rate-limit sessions` let another one in; if not, we look again when they do.
bool Listening::within_rates(const Listener& listener) noexcept {
  const std::uint64_t now = core_.now.ms();
  const std::uint32_t wait = std::max({gauges_.connections.wait_ms(now), gauges_.sessions.wait_ms(now),
                                       gauges_.frontend_sessions[listener.proxy].wait_ms(now)});
  if (wait != 0) core_.timers->arm(rate_timer_, now + wait);
  return wait == 0;
}

void Listening::count_rates(const Listener& listener) noexcept {
  const std::uint64_t now = core_.now.ms();
  gauges_.connections.count(now);
  gauges_.sessions.count(now);
  gauges_.frontend_sessions[listener.proxy].count(now);
}

bool Listening::take_places(Listener& listener) noexcept {
  if (!within_rates(listener)) return false;
  Gauge* const gauges[] = {&gauges_.process, &gauges_.frontends[listener.proxy], &gauges_.listeners[listener.index]};
  for (std::size_t i = 0; i < std::size(gauges); ++i) {
    if (gauges[i]->take()) continue;
    gauges[i]->wait();
    if (!gauges[i]->full() && gauges[i]->take()) continue;  // somebody left in between
    while (i-- > 0) gauges[i]->give_back();
    return false;
  }
  return true;
}

void Listening::session_over(std::uint32_t listener) noexcept {
  self_.sessions.store(core_.session_count, std::memory_order_relaxed);
  const bool waited = gauges_.process.give_back() | gauges_.frontends[listeners_[listener]->proxy].give_back() |
                      gauges_.listeners[listener].give_back();
  if (waited) wake_waiters();
  if (paused_ > 0) look_for_room();
}

void Listening::look_for_room() noexcept { self_.look_for_room.store(true, std::memory_order_relaxed); }

void Listening::wake_waiters() noexcept {
  for (Peer* peer : all_) {
    peer->look_for_room.store(true, std::memory_order_release);
    if (peer != &self_) peer->wake();
  }
}

void Listening::pause(Listener& listener) noexcept {
  if (!std::exchange(listener.paused, true)) ++paused_;
  if (listener.in_flight) core_.ring->cancel(listener);
}

void Listening::go_on(Listener& listener) noexcept {
  while (!listener.waiting.empty()) {
    if (!take_places(listener)) return;
    const io::Descriptor descriptor = listener.waiting.front();
    listener.waiting.erase(listener.waiting.begin());
    place(listener, descriptor);
  }
  if (listener.in_flight) return;  // the cancel is on its way: its completion starts again
  if (!take_places(listener)) return;
  session_over(listener.index);  // there is room: nobody sits down yet
  listener.paused = false;
  --paused_;
  core_.ring->accept(listener, core_.generation.listeners[listener.index]);
}

// To the worker with the fewest sessions, and rather here than elsewhere.
void Listening::place(Listener& listener, io::Descriptor descriptor) noexcept {
  count_rates(listener);
  Peer* best = &self_;
  std::uint64_t fewest = core_.session_count;
  for (std::uint32_t worker = 0; worker < all_.size(); ++worker) {
    Peer* const peer = all_[worker];
    if (!serves(listener, worker)) continue;
    const std::uint64_t sessions = peer->sessions.load(std::memory_order_relaxed);
    if (peer != &self_ && sessions + 1 < fewest && peer->ring.load(std::memory_order_acquire) != nullptr) {
      best = peer;
      fewest = sessions;
    }
  }
  if (best == &self_) return begin_session(descriptor, listener.index);
  best->sessions.fetch_add(1, std::memory_order_relaxed);  // so that the next one goes elsewhere
  best->mailbox.put({descriptor, listener.index});
  best->wake();
}

void Listening::begin_session(io::Descriptor descriptor, std::uint32_t listener) noexcept {
  core_.make_session().begin(descriptor, listener);
  self_.sessions.store(core_.session_count, std::memory_order_relaxed);
}

void Listening::end_of_turn() noexcept {
  if (!self_.mailbox.empty()) {
    self_.mailbox.take(letters_);
    for (const Mailbox::Letter& letter : letters_) {
      if (stopping_ && late_ == Late::close) {
        core_.ring->close(letter.descriptor);
        session_over(letter.listener);
      } else {
        begin_session(letter.descriptor, letter.listener);
      }
    }
    letters_.clear();
  }
  if (self_.look_for_room.exchange(false, std::memory_order_acq_rel) && !stopping_) {
    for (const auto& listener : listeners_) {
      if (listener->paused) go_on(*listener);
    }
  }
}

}  // namespace hawser::proxy
