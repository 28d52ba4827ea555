// For tests of the rings: the kinds to test, operations that remember their completions, sockets without fixed ports.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/io/ring.h"

namespace hawser::io::test {

inline std::unique_ptr<Ring> ring_of(RingKind kind, RingOptions options = {}) {
  options.kind = kind;
  Result<std::unique_ptr<Ring>> ring = make_ring(options);
  REQUIRE_MESSAGE(ring.ok(), (ring.ok() ? "" : ring.error().message));
  return std::move(ring).value();
}

// Runs `claim(kind)` once for each implementation.
template <class Claim>
void on_each_ring(Claim claim) {
  for (const RingKind kind : {RingKind::uring, RingKind::epoll}) {
    CAPTURE(kind == RingKind::uring ? "io_uring" : "epoll");
    claim(kind);
  }
}

// Remembers what it is told; received bytes are copied, and their buffers given back unless `keep`.
struct Probe : Operation {
  explicit Probe(Ring& owner) noexcept : Operation(&Probe::on_complete), ring_used(&owner) {}
  ~Probe() { CHECK_FALSE(in_flight); }

  static void on_complete(Operation& operation, const Completion& completion) noexcept {
    Probe& probe = static_cast<Probe&>(operation);
    CHECK_FALSE(probe.starting);
    probe.results.push_back(completion.result);
    probe.ended = !completion.more;
    CHECK(probe.in_flight == completion.more);
    if (completion.buffer) {
      CHECK(completion.buffer.size == static_cast<std::uint32_t>(completion.result));
      probe.bytes += completion.buffer.view();
      if (probe.keep) {
        probe.kept.push_back(completion.buffer);
      } else {
        probe.ring_used->release(completion.buffer);
      }
    }
    if (probe.then != nullptr) probe.then(probe);
  }

  int last() const { return results.empty() ? 1'000'000 : results.back(); }
  void release_kept() {
    for (const Buffer& buffer : kept) ring_used->release(buffer);
    kept.clear();
  }

  Ring* ring_used;
  std::vector<int> results;
  std::string bytes;
  std::vector<Buffer> kept;
  bool keep = false;
  bool ended = false;
  bool starting = false;
  void (*then)(Probe& probe) = nullptr;
  void* context = nullptr;
};

// Turns until `condition()`, for a bounded number of turns; what is awaited comes from the kernel, so a turn waits for it.
template <class Condition>
bool turn_until(Ring& ring, Condition condition) {
  for (int turns = 0; turns < 5000; ++turns) {
    if (condition()) return true;
    ring.turn(1000);
  }
  return condition();
}

inline std::pair<int, int> stream_pair() {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  return {ends[0], ends[1]};
}

struct TcpListener {
  TcpListener() {
    descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address = SocketAddress::ip(IpAddress::v4(INADDR_LOOPBACK), 0);
    REQUIRE(bind(descriptor, &address.any, address.size) == 0);
    REQUIRE(listen(descriptor, 128) == 0);
    socklen_t size = sizeof address.storage;
    REQUIRE(getsockname(descriptor, &address.any, &size) == 0);
  }
  ~TcpListener() { ::close(descriptor); }
  int descriptor = -1;
  SocketAddress address;
};

inline int tcp_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

inline std::string text_of(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23);
  return text;
}

}  // namespace hawser::io::test
