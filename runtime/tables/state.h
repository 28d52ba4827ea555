// State that outlives a configuration generation (contract 5): counters and server rows, keyed by section and
// name. A Plan's rows refer to it through pointers that are resolved once, when the Plan is installed.
//
// Each worker writes its own counters (relaxed, no shared line); readers add them up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/abi/sample.h"
#include "runtime/base/address.h"
#include "runtime/base/arena.h"
#include "runtime/tables/rest_points.h"

namespace hawser::tables {

// A count that one thread writes and others read.
class Count {
 public:
  void add(std::int64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::int64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void raise_to(std::int64_t n) noexcept {
    if (n > get()) value_.store(n, std::memory_order_relaxed);
  }
  void clear() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// The counters of one worker for one frontend, backend or server; unused ones stay 0. Names are HAProxy's
// (management manual, 9.1: show stat).
struct alignas(64) Counters {
  Count current;      // scur
  Count current_max;  // of this worker
  Count total;        // stot: sessions (frontend, backend), or tries to connect (server)
  Count connections;  // conn_tot
  Count requests;     // req_tot
  Count bytes_in;
  Count bytes_out;
  Count denied_connections;  // dcon
  Count denied_sessions;     // dses
  Count denied_requests;     // dreq
  Count denied_responses;    // dresp
  Count request_errors;      // ereq
  Count connect_errors;      // econ
  Count response_errors;     // eresp
  Count retries;             // wretr
  Count redispatches;        // wredis
  Count chosen;              // lbtot
  Count client_aborts;
  Count server_aborts;
  Count connects;     // new server connections
  Count reuses;       // requests on a reused one
  Count idle;         // idle server connections now
  Count intercepted;  // answered by us
  Count log_lines;
  std::array<Count, 6> responses;  // hrsp_other, hrsp_1xx … hrsp_5xx
  Count last_session_s;            // monotonic second of the last one
};

// Counts that only grow: those that `clear counters all` sets back. Beside them, `responses`.
inline constexpr Count Counters::*kGrowing[] = {
    &Counters::total,          &Counters::connections,     &Counters::requests,         &Counters::bytes_in,
    &Counters::bytes_out,      &Counters::denied_requests, &Counters::denied_responses, &Counters::request_errors,
    &Counters::connect_errors, &Counters::response_errors, &Counters::retries,          &Counters::redispatches,
    &Counters::chosen,         &Counters::client_aborts,   &Counters::server_aborts,    &Counters::connects,
    &Counters::reuses,         &Counters::intercepted,     &Counters::log_lines};

// Counters that appear with their first use by a worker: what no traffic reaches costs one pointer a worker.
class CounterSet {
 public:
  explicit CounterSet(std::size_t workers) : workers_(workers) {}
  ~CounterSet();
  CounterSet(const CounterSet&) = delete;
  CounterSet& operator=(const CounterSet&) = delete;

  // For that worker's thread alone.
  Counters& of_worker(std::size_t worker) noexcept;
  // The sum of one count over all workers, since the last clear(); any thread.
  std::int64_t sum(Count Counters::*which) const noexcept;
  std::int64_t sum_response(std::size_t hundred) const noexcept;
  std::int64_t max(Count Counters::*which) const noexcept;

  // Forget the highest count, or all that has grown. One thread at a time; workers go on counting meanwhile and take no
  // notice: what they had counted is remembered, and taken off.
  void clear_highest() noexcept;
  void clear() noexcept;

  // The sum of one count since the start.
  std::int64_t counted(Count Counters::*which) const noexcept;

 private:
  std::int64_t counted_responses(std::size_t hundred) const noexcept;

  std::vector<std::atomic<Counters*>> workers_;
  std::atomic<Counters*> cleared_{nullptr};  // what clear() took off
};

enum class ServerAdmin : std::uint8_t { ready, maintenance };

struct ServerState {
  explicit ServerState(std::size_t workers) : counters(workers) {}
  CounterSet counters;
  std::atomic<ServerAdmin> admin{ServerAdmin::ready};
  std::atomic<std::uint32_t> weight{1};
  std::int64_t changed_s = 0;
};

// Variables of the scope `proc`: written by any worker, alive as long as the process.
class ProcessVariables {
 public:
  // A copy whose bytes are in `arena`; absent when it is not set.
  abi::Sample find(std::string_view name, Arena& arena) const;
  void set(std::string_view name, const abi::Sample& value);
  void unset(std::string_view name);

 private:
  struct Value {
    abi::Sample sample;
    std::string bytes;
  };
  mutable std::shared_mutex mutex_;
  std::map<std::string, Value, std::less<>> values_;
};

struct ProxyState {
  explicit ProxyState(std::size_t workers) : frontend(workers), backend(workers) {}
  CounterSet frontend;
  CounterSet backend;
  std::map<std::string, std::unique_ptr<ServerState>, std::less<>> servers;
};

class PatternStore;

// All of it. Entries are made at installation, under the lock, and never go away while they may be referred to.
class State {
 public:
  explicit State(std::size_t workers);
  ~State();

  ProxyState& proxy(std::string_view name);
  ServerState& server(ProxyState& proxy, std::string_view name);
  std::size_t workers() const noexcept { return workers_; }

  // The first of `count` numbers that nobody else gets. Workers take many at a time, so that no request writes a line
  // that others read.
  std::uint64_t take_request_numbers(std::uint64_t count) noexcept {
    return request_numbers_.fetch_add(count, std::memory_order_relaxed);
  }

  // Of the whole process.
  CounterSet process;
  ProcessVariables variables;
  RestPoints rest;

  // The contents of pattern sets.
  PatternStore& patterns() const noexcept { return *patterns_; }

 private:
  std::size_t workers_;
  std::atomic<std::uint64_t> request_numbers_{0};  // handed out
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<ProxyState>, std::less<>> proxies_;
  std::unique_ptr<PatternStore> patterns_;
};

// A Plan's rows beside their state, by index: made once per Plan, read by all workers. Changed before any worker
// reads it, never after.
class Installed {
 public:
  Installed(abi::ImageView plan, State& state);

  struct ServerRow {
    const abi::Server* plan = nullptr;
    ServerState* state = nullptr;
    SocketAddress address;  // of a numeric one; of a name once set_resolved() was called
  };
  struct ProxyRow {
    const abi::Proxy* plan = nullptr;
    std::string_view name;
    ProxyState* state = nullptr;
    std::vector<ServerRow> servers;
  };

  const abi::Plan& plan() const noexcept { return *plan_; }
  abi::ImageView image() const noexcept { return image_; }
  std::vector<ProxyRow>& proxies() noexcept { return proxies_; }
  const std::vector<ProxyRow>& proxies() const noexcept { return proxies_; }
  // The addresses, as looked up, of the servers that are named by a host name, in order of proxy and server; the port of the
  // Plan is put in. As many addresses as there are such servers.
  void set_resolved(const std::vector<IpAddress>& addresses);

  // By name, backends (or frontends) alone; -1 for none.
  int find_backend(std::string_view name) const noexcept;
  int find_frontend(std::string_view name) const noexcept;
  State& state() const noexcept { return state_; }

 private:
  abi::ImageView image_;
  const abi::Plan* plan_;
  State& state_;
  std::vector<ProxyRow> proxies_;
  std::map<std::string, std::uint32_t, std::less<>> backends_;
  std::map<std::string, std::uint32_t, std::less<>> frontends_;
};

}  // namespace hawser::tables
