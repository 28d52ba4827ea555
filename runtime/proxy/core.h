// What the sessions, exchanges and links of one worker share: the ring, the clock, the timers, the pools, and the
// list of those that wait for their last operation before they are gone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backend/idle_pool.h"
#include "runtime/backend/round_robin.h"
#include "runtime/exec/run.h"
#include "runtime/io/clock.h"
#include "runtime/io/ring.h"
#include "runtime/io/timers.h"
#include "runtime/log/logger.h"
#include "runtime/proxy/codec.h"
#include "runtime/proxy/generation.h"
#include "runtime/proxy/raw_replies.h"
#include "runtime/proxy/slice.h"
#include "runtime/proxy/transport.h"

namespace hawser::proxy {

class Session;
class Exchange;
class Link;
class Listening;

// Something with operations in flight. After leave(), it is taken back once it is quiet, at the end of a turn.
class Resident {
 public:
  virtual bool quiet() const noexcept = 0;
  virtual void take_back() noexcept = 0;  // into its pool

 protected:
  ~Resident() = default;
};

// Runs again in the next turn (a program that was suspended).
class Resumable {
 public:
  virtual void resume() noexcept = 0;
  bool resuming = false;

 protected:
  ~Resumable() = default;
};

struct Core {
  Core(Generation& generation, std::uint32_t index, std::uint32_t workers);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Makes what belongs to the thread: the ring and all that stands on it.
  Status start();
  void start(std::unique_ptr<io::Ring> made) noexcept;

  // A turn: the clock is read once, when the first completion of the turn is delivered.
  void turn(int wait_ms_max) noexcept;
  void tick() noexcept {
    if (!std::exchange(ticked, true)) now = ring->now();
  }

  // Objects from the pools.
  Session& make_session() noexcept;
  Exchange& make_exchange(Session& session) noexcept;
  Link& make_link() noexcept;
  // Before a new connection: gives up one that waits when descriptors are scarce.
  void make_room() noexcept;
  void recycle(Session& session) noexcept;
  void recycle(Exchange& exchange) noexcept;
  void recycle(Link& link) noexcept;

  void leave(Resident& resident) noexcept { leaving_.push_back(&resident); }
  void later(Resumable& resumable) noexcept;
  void forget(Resumable& resumable) noexcept;
  SendBatch& take_batch() noexcept;
  void give_batch(SendBatch& batch) noexcept;
  void starve(Transport& transport) noexcept;
  void feed(Transport& transport) noexcept;

  // Between two turns: resumes, restarts what starved, takes back what is quiet.
  void end_of_turn() noexcept;
  bool all_gone() const noexcept { return sessions == nullptr && leaving_.empty(); }
  bool has_work() const noexcept { return !resumables_.empty() || starved_ != nullptr; }

  backend::RoundRobin& balancer(std::uint32_t proxy) noexcept;

  // %rt: one more than the last one of this worker, but where other workers have taken numbers meanwhile.
  std::uint64_t next_request_number() noexcept;

  // Shorthands. Counters are this worker's.
  const abi::Plan& plan() const noexcept { return generation.plan(); }
  const abi::Proxy& proxy(std::uint32_t at) const noexcept { return *rows()[at].plan; }
  const std::vector<tables::Installed::ProxyRow>& rows() const noexcept {
    return std::as_const(*generation.installed).proxies();
  }
  tables::Counters& process_counters() noexcept { return generation.installed->state().process.of_worker(index); }
  tables::Counters& frontend_counters(std::uint32_t at) noexcept { return rows()[at].state->frontend.of_worker(index); }
  tables::Counters& backend_counters(std::uint32_t at) noexcept { return rows()[at].state->backend.of_worker(index); }
  tables::Counters& server_counters(std::uint32_t at, std::uint32_t server) noexcept {
    return rows()[at].servers[server].state->counters.of_worker(index);
  }
  std::size_t buffer_bytes() const noexcept { return plan().global.buffer_bytes; }

  Generation& generation;
  std::uint32_t index;
  std::uint32_t workers;
  const Codec* codec = &h1_codec();  // of HTTP connections
  std::unique_ptr<io::Ring> ring;
  std::unique_ptr<io::Timers> timers;
  std::unique_ptr<ChunkPool> chunks;
  std::unique_ptr<backend::IdlePool> idle;
  std::unique_ptr<log::Sender> logs;
  exec::WorkerContext context;
  exec::Frame session_frame;  // of rules about connections, which never wait
  RawReplies raw_replies;
  EngineCounts engines;
  io::Now now;
  bool ticked = true;
  bool draining = false;
  Listening* listening = nullptr;  // told when a session ends

  // Those that are alive, for draining and stopping.
  Session* sessions = nullptr;
  std::size_t session_count = 0;

 private:
  std::vector<Resident*> leaving_;
  std::vector<Resumable*> resumables_;
  std::vector<Resumable*> resuming_;
  Transport* starved_ = nullptr;
  SendBatch* free_batches_ = nullptr;
  std::uint64_t next_request_number_ = 0;
  std::uint64_t request_numbers_end_ = 0;                        // of those that were taken
  std::vector<std::unique_ptr<backend::RoundRobin>> balancers_;  // by proxy, made with the first use
  std::vector<Session*> free_sessions_;
  std::vector<Exchange*> free_exchanges_;
  std::vector<Link*> free_links_;
};

}  // namespace hawser::proxy
