#include "runtime/proxy/worker.h"

#include <algorithm>

#include "runtime/proxy/core.h"
#include "runtime/proxy/listening.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {
namespace {

constexpr int kTurnMsMax = 60'000;

void make_gauges(Generation& generation) {
  if (generation.gauges != nullptr) return;
  const abi::Plan& plan = generation.plan();
  auto gauges = std::make_unique<Gauges>();
  gauges->process.set_limit(generation.maxconn);
  gauges->frontends = std::make_unique<Gauge[]>(plan.proxies.count);
  gauges->connections.set_limit(plan.global.connections_per_second);
  gauges->sessions.set_limit(plan.global.sessions_per_second);
  gauges->frontend_sessions = std::make_unique<Rate[]>(plan.proxies.count);
  gauges->listeners = std::make_unique<Gauge[]>(plan.listeners.count);
  const std::vector<tables::Installed::ProxyRow>& rows = generation.installed->proxies();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    gauges->frontends[i].set_limit(rows[i].plan->maxconn);
    gauges->frontend_sessions[i].set_limit(rows[i].plan->sessions_per_second);
  }
  const auto listeners = generation.installed->image().rows(plan.listeners);
  for (std::size_t i = 0; i < listeners.size(); ++i) gauges->listeners[i].set_limit(listeners[i].maxconn);
  generation.gauges = std::move(gauges);
}

}  // namespace

struct Worker::Impl {
  Impl(Generation& generation, std::uint32_t index, std::uint32_t workers)
      : generation(generation), core(generation, index, workers), purge(*this), all{&peer} {}

  struct PurgeTimer : io::Timer {
    explicit PurgeTimer(Impl& impl) noexcept : io::Timer(&PurgeTimer::fire), impl(impl) {}
    static void fire(io::Timer& timer) noexcept { static_cast<PurgeTimer&>(timer).impl.on_purge(); }
    Impl& impl;
  };

  void on_purge() noexcept {
    core.idle->purge();
    if (listening != nullptr) listening->look_for_room();
    core.timers->arm(purge, core.now.ms() + backend::IdlePool::kPurgeMs);
  }

  void turn() noexcept;
  void begin_drain() noexcept;
  void end_all() noexcept;
  bool over() const noexcept {
    return core.draining && core.session_count == 0 && listening->quiet() && listening->all_stopped();
  }

  Generation& generation;
  Peer peer;
  Core core;
  PurgeTimer purge;
  std::vector<Peer*> all;
  std::unique_ptr<Listening> listening;
  std::atomic<bool> drain_asked{false};
  std::atomic<bool> stop_asked{false};
};

Worker::Worker(Generation& generation, std::uint32_t index, std::uint32_t workers) {
  make_gauges(generation);
  impl_ = std::make_unique<Impl>(generation, index, workers);
}

Worker::~Worker() = default;

void Worker::set_siblings(const std::vector<Worker*>& workers) {
  impl_->all.clear();
  for (Worker* worker : workers) impl_->all.push_back(&worker->impl_->peer);
  if (std::find(impl_->all.begin(), impl_->all.end(), &impl_->peer) == impl_->all.end()) {
    impl_->all.push_back(&impl_->peer);
  }
}

Status Worker::run(const std::function<void(Worker&)>& started) {
  Impl& impl = *impl_;
  if (Status made = impl.core.start(); !made) return made;
  impl.core.timers->arm(impl.purge, impl.core.now.ms() + backend::IdlePool::kPurgeMs);
  impl.listening = std::make_unique<Listening>(impl.core, impl.peer, impl.all);
  {
    const std::lock_guard lock(impl.peer.ring_mutex);
    impl.peer.ring.store(impl.core.ring.get(), std::memory_order_release);
  }
  if (started) started(*this);
  impl.listening->start();
  while (!impl.stop_asked.load(std::memory_order_acquire) && !impl.over()) {
    impl.turn();
    if (impl.drain_asked.load(std::memory_order_acquire) && !impl.core.draining) impl.begin_drain();
  }
  impl.end_all();
  return Success{};
}

void Worker::Impl::turn() noexcept {
  core.turn(kTurnMsMax);
  listening->end_of_turn();
  core.end_of_turn();
  if (core.logs != nullptr) core.logs->flush();
}

void Worker::Impl::begin_drain() noexcept {
  core.draining = true;
  listening->stop(Listening::Late::serve);
  core.idle->clear();
  for (Session* session = core.sessions; session != nullptr;) {
    Session* next = session->next;
    session->drain();
    session = next;
  }
}

// Nothing may be in flight when the ring goes.
void Worker::Impl::end_all() noexcept {
  core.draining = true;
  listening->stop(Listening::Late::close);
  core.idle->clear();
  while (core.sessions != nullptr) core.sessions->stop();
  for (int turns = 0; turns < 1'000 && !(core.all_gone() && listening->quiet()); ++turns) {
    core.ring->turn(10);
    core.end_of_turn();
  }
  if (core.logs != nullptr) core.logs->flush();
  core.timers->disarm(purge);
  {
    const std::lock_guard lock(peer.ring_mutex);
    peer.ring.store(nullptr, std::memory_order_release);
  }
  listening.reset();
  core.ring->turn(0);  // the last closes
}

void Worker::drain() noexcept {
  impl_->drain_asked.store(true, std::memory_order_release);
  impl_->peer.wake();
}

void Worker::stop() noexcept {
  impl_->stop_asked.store(true, std::memory_order_release);
  impl_->peer.wake();
}

void Worker::look_for_room() noexcept {
  impl_->peer.look_for_room.store(true, std::memory_order_release);
  impl_->peer.wake();
}

io::Ring& Worker::ring() noexcept { return *impl_->core.ring; }
io::Timers& Worker::timers() noexcept { return *impl_->core.timers; }
const io::Now& Worker::now() const noexcept {
  impl_->core.tick();
  return impl_->core.now;
}
Generation& Worker::generation() noexcept { return impl_->generation; }
std::uint32_t Worker::index() const noexcept { return impl_->core.index; }
const EngineCounts& Worker::engine_counts() const noexcept { return impl_->core.engines; }
std::uint64_t Worker::sessions() const noexcept { return impl_->peer.sessions.load(std::memory_order_relaxed); }

}  // namespace hawser::proxy
