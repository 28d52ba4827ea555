#include "runtime/proxy/core.h"

#include <algorithm>

#include "runtime/proxy/exchange.h"
#include "runtime/proxy/link.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {
namespace {

constexpr std::size_t kIdleLinksMax = 4096;     // server connections that wait, of one worker
constexpr std::size_t kIdleShare = 5;           // a fifth of the descriptors (haproxy's tune.pool-low-fd-ratio 20)
constexpr std::uint64_t kRequestNumbers = 256;  // taken at a time
constexpr std::size_t kFreeObjectsMax = 1024;   // of each pool; more are given back to the system

template <class T>
void keep(std::vector<T*>& pool, T& object) noexcept {
  if (pool.size() < kFreeObjectsMax) {
    pool.push_back(&object);
  } else {
    delete &object;
  }
}

template <class T>
void free_all(std::vector<T*>& pool) noexcept {
  for (T* object : pool) delete object;
  pool.clear();
}

// Connections that wait must not use up the descriptors that those in use need: two for each of `maxconn`.
std::size_t idle_links_max(std::uint32_t maxconn, std::uint32_t workers) noexcept {
  if (maxconn == 0) return kIdleLinksMax;
  return std::clamp<std::size_t>(std::size_t{2} * maxconn / kIdleShare / workers, 1, kIdleLinksMax);
}

template <class T>
T* take(std::vector<T*>& pool) noexcept {
  if (pool.empty()) return nullptr;
  T* object = pool.back();
  pool.pop_back();
  return object;
}

}  // namespace

Core::Core(Generation& generation, std::uint32_t index, std::uint32_t workers)
    : generation(generation), index(index), workers(workers), balancers_(generation.plan().proxies.count) {
  context.worker = index;
}

Core::~Core() {
  free_all(free_exchanges_);
  free_all(free_links_);
  free_all(free_sessions_);
  while (free_batches_ != nullptr) delete std::exchange(free_batches_, free_batches_->next_free);
}

Status Core::start() {
  auto made = io::make_ring({});
  if (!made) return made.error();
  start(std::move(made).value());
  return Success{};
}

void Core::start(std::unique_ptr<io::Ring> made) noexcept {
  ring = std::move(made);
  now = ring->now();
  timers = std::make_unique<io::Timers>(now.ms());
  chunks = std::make_unique<ChunkPool>(*ring);
  idle = std::make_unique<backend::IdlePool>(idle_links_max(generation.maxconn, workers));
  if (generation.logs != nullptr) logs = std::make_unique<log::Sender>(*generation.logs, index);
}

void Core::turn(int wait_ms_max) noexcept {
  const int wait = has_work() ? 1 : timers->wait_ms(now.ms(), wait_ms_max);
  ticked = false;
  ring->turn(wait);
  tick();
  timers->advance(now.ms());
}

Session& Core::make_session() noexcept {
  Session* session = take(free_sessions_);
  if (session == nullptr) session = new Session(*this);
  return *session;
}

Exchange& Core::make_exchange(Session& session) noexcept {
  Exchange* exchange = take(free_exchanges_);
  if (exchange == nullptr) exchange = new Exchange(*this);
  exchange->begin(session);
  return *exchange;
}

Link& Core::make_link() noexcept {
  Link* link = take(free_links_);
  if (link == nullptr) link = new Link(*this);
  return *link;
}

void Core::make_room() noexcept {
  const std::size_t descriptors = std::size_t{2} * generation.maxconn;
  if (generation.gauges == nullptr || descriptors == 0) return;
  if (std::size_t{2} * generation.gauges->process.count() + idle->idle() * workers >= descriptors) idle->shed();
}

void Core::recycle(Session& session) noexcept { keep(free_sessions_, session); }
void Core::recycle(Exchange& exchange) noexcept { keep(free_exchanges_, exchange); }
void Core::recycle(Link& link) noexcept { keep(free_links_, link); }

void Core::later(Resumable& resumable) noexcept {
  if (resumable.resuming) return;
  resumable.resuming = true;
  resumables_.push_back(&resumable);
}

void Core::forget(Resumable& resumable) noexcept {
  if (!resumable.resuming) return;
  resumable.resuming = false;
  std::replace(resumables_.begin(), resumables_.end(), &resumable, static_cast<Resumable*>(nullptr));
  std::replace(resuming_.begin(), resuming_.end(), &resumable, static_cast<Resumable*>(nullptr));
}

SendBatch& Core::take_batch() noexcept {
  if (free_batches_ == nullptr) return *new SendBatch;
  return *std::exchange(free_batches_, free_batches_->next_free);
}

void Core::give_batch(SendBatch& batch) noexcept {
  for (std::size_t i = 0; i < batch.count; ++i) batch.slices[i] = Slice();
  batch.count = 0;
  batch.next_free = free_batches_;
  free_batches_ = &batch;
}

void Core::starve(Transport& transport) noexcept {
  if (transport.starved_) return;
  transport.starved_ = true;
  transport.next_starved_ = std::exchange(starved_, &transport);
}

void Core::feed(Transport& transport) noexcept {
  transport.starved_ = false;
  for (Transport** at = &starved_; *at != nullptr; at = &(*at)->next_starved_) {
    if (*at == &transport) {
      *at = transport.next_starved_;
      return;
    }
  }
}

void Core::end_of_turn() noexcept {
  for (Transport* at = std::exchange(starved_, nullptr); at != nullptr;) {
    Transport& transport = *at;
    at = at->next_starved_;
    transport.restart_receive();
  }
  if (!resumables_.empty()) {
    resuming_.swap(resumables_);
    for (std::size_t i = 0; i < resuming_.size(); ++i) {
      if (resuming_[i] == nullptr) continue;
      resuming_[i]->resuming = false;
      std::exchange(resuming_[i], nullptr)->resume();
    }
    resuming_.clear();
  }
  for (std::size_t i = 0; i < leaving_.size();) {
    if (!leaving_[i]->quiet()) {
      ++i;
      continue;
    }
    Resident& resident = *leaving_[i];
    leaving_[i] = leaving_.back();
    leaving_.pop_back();
    resident.take_back();
  }
  generation.installed->state().rest.rest(index);
}

backend::RoundRobin& Core::balancer(std::uint32_t proxy) noexcept {
  auto& balancer = balancers_[proxy];
  if (balancer == nullptr) balancer = std::make_unique<backend::RoundRobin>(rows()[proxy].servers);
  return *balancer;
}

std::uint64_t Core::next_request_number() noexcept {
  if (next_request_number_ == request_numbers_end_) {
    next_request_number_ = generation.installed->state().take_request_numbers(kRequestNumbers);
    request_numbers_end_ = next_request_number_ + kRequestNumbers;
  }
  return next_request_number_++;
}

}  // namespace hawser::proxy
