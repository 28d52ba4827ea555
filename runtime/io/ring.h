// Asynchronous input and output: one ring a worker. Three implementations: io_uring, epoll, and a seeded
// simulator for the tests. Nothing above sees which.
//
// An Operation is a member of its owner. From the call that starts it to its last completion it is in
// flight, and until then its owner stays where it is. Completions are
// delivered by turn(), never from inside a starting call.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/address.h"
#include "runtime/base/result.h"
#include "runtime/io/clock.h"

namespace hawser::io {

// A descriptor that a ring works on. Plain numbers: a connection may move between workers (contract 6).
using Descriptor = int;

// Received bytes in a buffer of the ring's pool. Held until it is given back by Ring::release, by whoever
// consumed the bytes; forgetting one shrinks the pool for good.
struct Buffer {
  char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t id = 0;  // of the pool

  std::string_view view() const noexcept { return {data, size}; }
  explicit operator bool() const noexcept { return data != nullptr; }
};

struct Completion {
  // >= 0: bytes (send, receive; 0 is the end of the stream), a descriptor (accept), 0 (connect);
  // < 0: -errno. -ECANCELED after cancel; -ENOBUFS: the pool is empty, the receive is over and may be started again.
  int result = 0;
  bool more = false;  // a multishot operation stays in flight: further completions will come
  Buffer buffer;      // of a receive with result > 0
};

// `complete` is called once for a single operation; for accept and receive once an event, the last one with
// `more` false. It may start operations, also this one when `more` is false; it must not destroy the owner.
struct Operation {
  using Complete = void (*)(Operation& operation, const Completion& completion) noexcept;
  explicit Operation(Complete complete) noexcept : complete(complete) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  Complete complete;
  bool in_flight = false;

  // For the ring alone.
  struct Private {
    Descriptor descriptor = -1;
    std::uint8_t kind = 0;
    bool cancelled = false;
    std::uint32_t slot = 0;
    const iovec* vectors = nullptr;
    std::uint32_t vector_count = 0;
    std::uint32_t vector_at = 0;
    std::size_t done = 0;
    const SocketAddress* address = nullptr;
    Operation* next = nullptr;
    Operation* previous = nullptr;
    Completion completion;
  } ring;
};

enum class RingKind : std::uint8_t { automatic, uring, epoll };

struct RingOptions {
  RingKind kind = RingKind::automatic;  // automatic: io_uring, else epoll
  std::uint32_t entries = 1024;
  std::uint32_t buffer_bytes = 4096;  // of each receive buffer
  std::uint32_t buffers = 128;        // at first; the pool grows when it runs dry
  std::uint32_t buffers_max = 16384;
};

// What the ring did, for `show activity` and the benchmarks.
struct RingCounters {
  std::uint64_t turns = 0;
  std::uint64_t submissions = 0;
  std::uint64_t completions = 0;
  std::uint64_t enters = 0;  // system calls
  std::uint64_t buffers_exhausted = 0;
};

class Ring {
 public:
  virtual ~Ring() = default;

  // Multishot: result is a connected descriptor (non-blocking, close-on-exec) each time.
  virtual void accept(Operation& operation, Descriptor listener) noexcept = 0;
  // Multishot: each completion hands over a Buffer. Ends by itself at the end of the stream, on an error, on -ENOBUFS.
  virtual void receive(Operation& operation, Descriptor descriptor) noexcept = 0;
  // Sends all bytes, or fails: result is their sum, or -errno. `vectors` and what they point to live until the completion. MSG_NOSIGNAL.
  // `more_follows`: MSG_MORE.
  virtual void send(Operation& operation, Descriptor descriptor, std::span<const iovec> vectors,
                    bool more_follows = false) noexcept = 0;
  // `address` lives until the completion. The descriptor is a non-blocking socket.
  virtual void connect(Operation& operation, Descriptor descriptor, const SocketAddress& address) noexcept = 0;
  // Completes once when the descriptor can be read (or has an error): for eventfds, signalfds, and sockets that nobody receives from.
  virtual void poll_readable(Operation& operation, Descriptor descriptor) noexcept = 0;
  // The operation's last completion comes with -ECANCELED, or with the result it had all the same.
  // Does nothing when it is not in flight.
  virtual void cancel(Operation& operation) noexcept = 0;
  // Closes at the end of the turn, behind what was started on it before. No operation may be in flight on it. A descriptor that was
  // used with a ring is closed by this, or leaves the ring with the cancellation of its last operation (for another worker's).
  virtual void close(Descriptor descriptor) noexcept = 0;

  // Gives a receive buffer back.
  virtual void release(const Buffer& buffer) noexcept = 0;

  // Submits what was started, waits until something completes or `timeout_ms` (-1: for ever) is over, and delivers
  // the completions.
  virtual void turn(int timeout_ms) noexcept = 0;

  // Makes a turn of this ring return soon. The one call that other threads may make, and signal handlers too.
  virtual void wake() noexcept = 0;

  // The world around the ring, so that the simulator can stand in for it: what waits for nothing, and happens at once. The
  // implementations on a kernel share theirs (world.cpp).

  // A stream socket to connect with: non-blocking, close-on-exec, TCP_NODELAY; or -errno.
  virtual Descriptor open_stream(int family) noexcept;
  // Sends no more: the end of the stream follows what was sent.
  virtual void finish(Descriptor descriptor) noexcept;
  // The close to come resets the connection instead of ending it.
  virtual void reset_on_close(Descriptor descriptor) noexcept;
  // The close to come tells the peer nothing, if the system lets us; else what it says does not get far: its IP packets may
  // pass no router.
  virtual void drop_on_close(Descriptor descriptor) noexcept;
  // The ends of a connection; none when there is no connection any more.
  virtual SocketAddress local_address(Descriptor descriptor) noexcept;
  virtual SocketAddress peer_address(Descriptor descriptor) noexcept;
  virtual Now now() noexcept;

  virtual const RingCounters& counters() const noexcept = 0;
  virtual std::string_view name() const noexcept = 0;  // "io_uring", "epoll"
};

// `automatic` obeys HAWSER_RING=epoll|io_uring in the environment. Must be called by the thread that will call turn().
Result<std::unique_ptr<Ring>> make_ring(const RingOptions& options);

}  // namespace hawser::io
