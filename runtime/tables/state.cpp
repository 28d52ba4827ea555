#include "runtime/tables/state.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/tables/pattern_store.h"

namespace hawser::tables {
namespace {

bool has_bytes(const abi::Sample& sample) noexcept {
  return sample.type == abi::SampleType::string || sample.type == abi::SampleType::binary ||
         sample.type == abi::SampleType::method;
}

// Finds or makes the value of a name.
template <class Value, class Make>
Value& entry(std::map<std::string, std::unique_ptr<Value>, std::less<>>& map, std::string_view name, Make make) {
  auto found = map.find(name);
  if (found == map.end()) found = map.emplace(std::string(name), make()).first;
  return *found->second;
}

int look_up(const std::map<std::string, std::uint32_t, std::less<>>& map, std::string_view name) noexcept {
  const auto found = map.find(name);
  return found == map.end() ? -1 : static_cast<int>(found->second);
}

}  // namespace

CounterSet::~CounterSet() {
  for (auto& counters : workers_) delete counters.load(std::memory_order_relaxed);
  delete cleared_.load(std::memory_order_relaxed);
}

Counters& CounterSet::of_worker(std::size_t worker) noexcept {
  HAWSER_DCHECK(worker < workers_.size());
  Counters* counters = workers_[worker].load(std::memory_order_relaxed);
  if (counters == nullptr) {
    counters = new Counters;
    workers_[worker].store(counters, std::memory_order_release);  // readers see it zeroed
  }
  return *counters;
}

std::int64_t CounterSet::counted(Count Counters::*which) const noexcept {
  std::int64_t sum = 0;
  for (const auto& worker : workers_) {
    if (const Counters* counters = worker.load(std::memory_order_acquire)) sum += (counters->*which).get();
  }
  return sum;
}

std::int64_t CounterSet::counted_responses(std::size_t hundred) const noexcept {
  std::int64_t sum = 0;
  for (const auto& worker : workers_) {
    if (const Counters* counters = worker.load(std::memory_order_acquire)) sum += counters->responses[hundred].get();
  }
  return sum;
}

std::int64_t CounterSet::sum(Count Counters::*which) const noexcept {
  const Counters* const cleared = cleared_.load(std::memory_order_acquire);
  return counted(which) - (cleared != nullptr ? (cleared->*which).get() : 0);
}

std::int64_t CounterSet::sum_response(std::size_t hundred) const noexcept {
  const Counters* const cleared = cleared_.load(std::memory_order_acquire);
  return counted_responses(hundred) - (cleared != nullptr ? cleared->responses[hundred].get() : 0);
}

void CounterSet::clear_highest() noexcept {
  for (const auto& worker : workers_) {
    if (Counters* counters = worker.load(std::memory_order_acquire)) counters->current_max.clear();
  }
}

void CounterSet::clear() noexcept {
  clear_highest();
  Counters* cleared = cleared_.load(std::memory_order_relaxed);
  const bool first = cleared == nullptr;
  if (first) cleared = new Counters;
  for (Count Counters::*which : kGrowing) (cleared->*which).add(counted(which) - (cleared->*which).get());
  for (std::size_t at = 0; at < cleared->responses.size(); ++at) {
    cleared->responses[at].add(counted_responses(at) - cleared->responses[at].get());
  }
  if (first) cleared_.store(cleared, std::memory_order_release);
}

std::int64_t CounterSet::max(Count Counters::*which) const noexcept {
  std::int64_t max = 0;
  for (const auto& worker : workers_) {
    if (const Counters* counters = worker.load(std::memory_order_acquire))
      max = std::max(max, (counters->*which).get());
  }
  return max;
}

abi::Sample ProcessVariables::find(std::string_view name, Arena& arena) const {
  const std::shared_lock lock(mutex_);
  const auto found = values_.find(name);
  if (found == values_.end()) return abi::Sample::absent();
  const Value& value = found->second;
  if (!has_bytes(value.sample)) return value.sample;
  return abi::Sample::text(arena.copy(value.bytes), value.sample.type);
}

void ProcessVariables::set(std::string_view name, const abi::Sample& sample) {
  const std::unique_lock lock(mutex_);
  auto found = values_.find(name);
  if (found == values_.end()) found = values_.emplace(std::string(name), Value{}).first;
  Value& value = found->second;
  value.sample = sample;
  if (has_bytes(sample)) value.bytes = sample.view();
}

void ProcessVariables::unset(std::string_view name) {
  const std::unique_lock lock(mutex_);
  if (const auto found = values_.find(name); found != values_.end()) values_.erase(found);
}

State::State(std::size_t workers)
    : process(workers), rest(workers), workers_(workers), patterns_(std::make_unique<PatternStore>(rest)) {}
State::~State() = default;

ProxyState& State::proxy(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return entry(proxies_, name, [this] { return std::make_unique<ProxyState>(workers_); });
}

ServerState& State::server(ProxyState& proxy, std::string_view name) {
  const std::lock_guard lock(mutex_);
  return entry(proxy.servers, name, [this] { return std::make_unique<ServerState>(workers_); });
}

Installed::Installed(abi::ImageView plan, State& state) : image_(plan), plan_(&plan.root<abi::Plan>()), state_(state) {
  for (const abi::Proxy& proxy : image_.rows(plan_->proxies)) {
    const std::string_view name = image_.text(proxy.name);
    const auto index = static_cast<std::uint32_t>(proxies_.size());
    if (proxy.is_frontend) frontends_.emplace(name, index);
    if (proxy.is_backend) backends_.emplace(name, index);
    ProxyRow row{.plan = &proxy, .name = name, .state = &state_.proxy(name), .servers = {}};
    const auto servers = image_.rows(proxy.servers);
    row.servers.reserve(servers.size());
    for (const abi::Server& server : servers) {
      ServerState& kept = state_.server(*row.state, image_.text(server.name));
      // The file decides anew what it says; what only traffic knows goes on.
      kept.weight.store(server.weight, std::memory_order_relaxed);
      kept.admin.store(server.disabled ? ServerAdmin::maintenance : ServerAdmin::ready, std::memory_order_relaxed);
      row.servers.push_back({&server, &kept, abi::socket_address(image_, server.address).value_or(SocketAddress())});
    }
    proxies_.push_back(std::move(row));
  }
}

void Installed::set_resolved(const std::vector<IpAddress>& addresses) {
  auto next = addresses.begin();
  for (ProxyRow& proxy : proxies_) {
    for (ServerRow& server : proxy.servers) {
      if (server.plan->address.family != abi::Address::Family::none) continue;
      HAWSER_CHECK(next != addresses.end());
      server.address = SocketAddress::ip(*next++, server.plan->address.port);
    }
  }
  HAWSER_CHECK(next == addresses.end());
}

int Installed::find_backend(std::string_view name) const noexcept { return look_up(backends_, name); }
int Installed::find_frontend(std::string_view name) const noexcept { return look_up(frontends_, name); }

}  // namespace hawser::tables
