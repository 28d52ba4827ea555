// The simulator's world: sockets in memory, peers in the hands of a test, a fake clock, and mischief from a seed.
//
// A Simulation owns everything; rings made from it (sim_ring.h) are the workers' view of it. All run in one thread, and the same
// seed gives the same run. A test's loop:
//
//   Simulation simulation({.seed = seed});
//   SimPeer& client = simulation.connect_to(listener);   client.send("GET / HTTP/1.1\r\n\r\n");
//   while (!client.ended() && simulation.step()) for (Worker& worker : workers) worker.turn();
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/io/ring.h"

namespace hawser::io {

// Odds in a thousand unless they say otherwise; all 0: a network without mischief.
struct SimOptions {
  std::uint64_t seed = 1;
  unsigned held_back = 200;  // an operation that could go on does so in a later turn only
  unsigned cut = 300;        // a receive or a part of a send moves fewer bytes than it could
  unsigned late = 200;       // bytes, ends and connects are under way for up to `late_ms`
  unsigned late_ms = 5;
  unsigned no_buffers = 20;              // a receive ends with -ENOBUFS
  unsigned lost_send = 500;              // a send to a peer that has gone succeeds, and the reset comes later
  std::size_t socket_bytes = 16 * 1024;  // that one direction of a connection holds
};

class Simulation;

// The far end of a connection. Reads everything at once unless paused. Lives as long as the Simulation.
class SimPeer {
 public:
  void send(std::string_view bytes, unsigned after_ms = 0);
  void finish(unsigned after_ms = 0);  // sends no more, still reads
  void reset(unsigned after_ms = 0);   // RST: what it has not read is lost
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }

  const std::string& received() const { return received_; }
  std::string take() { return std::exchange(received_, {}); }
  bool ended() const { return ended_; }          // the worker's side sends no more
  bool was_reset() const { return was_reset_; }  // the worker's side is gone abruptly
  const SocketAddress& address() const;          // of this end

  // Called after bytes or an end have come.
  std::function<void(SimPeer&)> on_event;
  void* context = nullptr;

 private:
  friend class Simulation;
  Simulation* simulation_ = nullptr;
  int socket_ = -1;
  std::string received_;
  bool paused_ = false;
  bool lost_ = false;  // has reset: what comes goes nowhere
  bool ended_ = false;
  bool was_reset_ = false;
};

// For the ring and the network alone: one end of a connection, or a listener.
struct SimSocket {
  enum class PieceKind : std::uint8_t { bytes, end, reset };
  struct Piece {
    std::uint64_t due_us = 0;
    PieceKind kind = PieceKind::bytes;
    std::string bytes;
  };
  bool used = false;
  bool listening = false;
  bool connected = false;
  bool finished = false;  // sends no more
  bool resets = false;    // when closed
  bool broken = false;    // was reset
  bool peer_gone = false;
  int other = -1;           // the far end, while it exists
  SimPeer* peer = nullptr;  // who holds this end; null: a worker
  SocketAddress local, remote;
  std::deque<Piece> inbox;
  std::size_t inbox_bytes = 0;
  std::uint64_t last_due_us = 0;
  std::deque<std::pair<std::uint64_t, int>> backlog;  // of a listener: when, who
  std::uint64_t connect_due_us = 0;                   // of a connect under way
  int connect_result = 1;                             // 1: none under way
  Operation* reader = nullptr;
  Operation* writer = nullptr;
};

class SimRing;

class Simulation {
 public:
  explicit Simulation(const SimOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // One a worker; the Simulation outlives it.
  std::unique_ptr<Ring> make_ring(const RingOptions& options = {});

  // A listener to give to Ring::accept.
  Descriptor listen(const SocketAddress& address);
  // A client that connects to it.
  SimPeer& connect_to(Descriptor listener, unsigned after_ms = 0);

  // What a connect of a worker to `address` meets: a peer, handed to `on_connect`; or a failure after a while (0: never answered).
  // An address that nobody named refuses.
  void serve(const SocketAddress& address, std::function<void(SimPeer&)> on_connect);
  void fail_connects(const SocketAddress& address, int error, unsigned after_ms = 0);
  // How many more streams may be opened before -EMFILE.
  void limit_streams(unsigned count) { streams_left_ = count; }

  // After every worker has had a turn: moves the clock, by a little, or to the next event if nothing happened in this round.
  // False when nothing will ever happen any more.
  bool step();
  Now now() const noexcept { return now_; }

  // Descriptors that workers hold, listeners included: what a run must give back.
  std::size_t open_descriptors() const;

 private:
  friend class SimPeer;
  friend class SimRing;
  static constexpr int kFirstDescriptor = 1'000'000;  // no descriptor of the system's is that large

  bool chance(unsigned in_a_thousand) { return in_a_thousand != 0 && random_() % 1000 < in_a_thousand; }
  std::uint64_t under_way_us(unsigned after_ms);
  SimSocket& socket(Descriptor descriptor);
  int add_socket();
  std::pair<int, int> add_connection(const SocketAddress& near, const SocketAddress& far);
  void deliver(int to, SimSocket::PieceKind kind, std::string_view bytes, unsigned after_ms);
  bool passed(std::uint64_t due_us) const { return due_us <= now_.monotonic_us; }
  bool arrived(const SimSocket& at) const { return !at.inbox.empty() && passed(at.inbox.front().due_us); }
  void close_end(int index);
  void start_connect(SimSocket& from, const SocketAddress& address);
  void finish_connect(int index);
  void move_clock(std::uint64_t to_us);
  void run_peers();
  void run_peer(SimPeer& peer);

  struct Target {
    std::function<void(SimPeer&)> on_connect;
    int error = 0;
    unsigned after_ms = 0;
  };
  SimOptions options_;
  std::mt19937_64 random_;
  Now now_;
  bool happened_ = true;    // something did, in this round
  bool held_back_ = false;  // something might have
  unsigned streams_left_ = ~0u;
  std::uint16_t next_port_ = 40'000;
  std::deque<SimSocket> sockets_;
  std::vector<std::unique_ptr<SimPeer>> peers_;
  std::map<std::string, Target> targets_;
  std::vector<SimRing*> rings_;
};

}  // namespace hawser::io
