// Accepts connections for one worker, within the limits, and hands them to the least loaded worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/io/ring.h"
#include "runtime/io/timers.h"
#include "runtime/proxy/core.h"

namespace hawser::proxy {

// Accepted connections on their way to another worker. Off the way of a request: a lock will do.
class Mailbox {
 public:
  struct Letter {
    io::Descriptor descriptor = -1;
    std::uint32_t listener = 0;
  };
  void put(const Letter& letter);
  // Moves all into `letters`, which is empty.
  void take(std::vector<Letter>& letters);
  bool empty() const noexcept { return !full_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> full_{false};
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

// What one worker shows the others.
struct Peer {
  Mailbox mailbox;
  std::atomic<std::uint64_t> sessions{0};
  std::atomic<io::Ring*> ring{nullptr};    // while it runs
  std::atomic<bool> stopped{false};        // gives connections to no other worker any longer
  std::atomic<bool> look_for_room{false};  // a limit was reached here, and somebody has left since
  void wake() noexcept;
  // Keeps `ring` alive while others wake it.
  std::mutex ring_mutex;
};

class Listening {
 public:
  Listening(Core& core, Peer& self, const std::vector<Peer*>& all) noexcept;
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  void start() noexcept;
  // Accept no more; quiet() when the last operation is over. What was accepted nevertheless is served here, or, where the process
  // ends at once, closed.
  enum class Late : std::uint8_t { serve, close };
  void stop(Late late = Late::serve) noexcept;
  // No worker accepts any longer, and nothing was left for this one.
  bool all_stopped() const noexcept;
  bool quiet() const noexcept;
  // Between two turns: begins what others sent, and goes on where there is room again.
  void end_of_turn() noexcept;
  // A session of that listener ended: its places are free.
  void session_over(std::uint32_t listener) noexcept;
  // Tries to go on after this turn: also called now and then, for what ends without telling.
  void look_for_room() noexcept;

 private:
  struct Listener : io::Operation {
    Listener(Listening& listening, std::uint32_t index) noexcept;
    Listening& listening;
    std::uint32_t index;
    std::uint32_t proxy;
    std::uint64_t threads;                // the workers that serve it, a bit each; 0: all
    bool paused = false;                  // a limit is reached
    std::vector<io::Descriptor> waiting;  // accepted before the pause took effect
  };
  struct RateTimer : io::Timer {
    explicit RateTimer(Listening& listening) noexcept;
    Listening& listening;
  };
  static void accepted(io::Operation& operation, const io::Completion& completion) noexcept;
  void on_accept(Listener& listener, const io::Completion& completion) noexcept;
  static bool serves(const Listener& listener, std::uint32_t worker) noexcept {
    return listener.threads == 0 || (worker < 64 && (listener.threads >> worker & 1) != 0);
  }
  bool within_rates(const Listener& listener) noexcept;
  void count_rates(const Listener& listener) noexcept;
  bool take_places(Listener& listener) noexcept;
  void begin_late(Listener& listener, io::Descriptor descriptor) noexcept;
  void place(Listener& listener, io::Descriptor descriptor) noexcept;
  void pause(Listener& listener) noexcept;
  void go_on(Listener& listener) noexcept;
  void begin_session(io::Descriptor descriptor, std::uint32_t listener) noexcept;
  void wake_waiters() noexcept;

  Core& core_;
  Peer& self_;
  const std::vector<Peer*>& all_;
  Gauges& gauges_;
  RateTimer rate_timer_;  // until a rate allows another connection
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<Mailbox::Letter> letters_;
  std::size_t paused_ = 0;
  bool stopping_ = false;
  Late late_ = Late::serve;
};

}  // namespace hawser::proxy
