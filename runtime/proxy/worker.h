// One worker thread: a ring, timers, buffers, idle pools, and the sessions that it accepted. Shares nothing
// with other workers on the way of a request.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/io/clock.h"
#include "runtime/io/ring.h"
#include "runtime/io/timers.h"
#include "runtime/proxy/generation.h"

namespace hawser::proxy {

class Worker {
 public:
  // The generation outlives the worker.
  Worker(Generation& generation, std::uint32_t index, std::uint32_t workers);
  ~Worker();

  // Other workers, for handing accepted connections over; set before any runs.
  void set_siblings(const std::vector<Worker*>& workers);

  // The worker's life, on its own thread: from making the ring to the last session's end or stop(). `started`
  // is called on that thread once the ring exists, before the first turn (worker 0 serves the command sockets).
  Status run(const std::function<void(Worker&)>& started);

  // From any thread. drain(): accept no more, close idle connections, end when the last session has.
  // stop(): end now.
  void drain() noexcept;
  void stop() noexcept;
  // Tries to accept again where that had failed: the sockets listen again.
  void look_for_room() noexcept;

  // For code that runs on this worker's thread.
  io::Ring& ring() noexcept;
  io::Timers& timers() noexcept;
  const io::Now& now() const noexcept;
  Generation& generation() noexcept;
  std::uint32_t index() const noexcept;

  // From any thread.
  std::uint64_t sessions() const noexcept;
  const EngineCounts& engine_counts() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hawser::proxy
