// A bare relay: what the ring alone costs. Accepts, connects once for each client connection, and copies both
// ways; knows no HTTP. It is the floor that `tests/bench/http1` shows beside hawser and haproxy.
//
//   bench_relay LISTEN_PORT ORIGIN_PORT [io_uring|epoll]      (prints "ready" when it listens; ends with a signal)
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/io/ring.h"

using namespace hawser;
using namespace hawser::io;

namespace {

struct Pair;

// An operation with the pair that it belongs to.
struct Step : Operation {
  Step(Complete complete, Pair& owner) noexcept : Operation(complete), pair(owner) {}
  Pair& pair;
};

// One direction: received buffers on their way out.
struct Flow {
  Flow(Operation::Complete on_receive, Operation::Complete on_send, Pair& owner) noexcept
      : receive(on_receive, owner), send(on_send, owner) {}
  Step receive;
  Step send;
  int source = -1;
  int target = -1;
  std::vector<Buffer> waiting;
  std::vector<Buffer> sending;
  std::vector<iovec> vectors;
};

struct Relay {
  std::unique_ptr<Ring> ring;
  SocketAddress origin;
  std::vector<Pair*> gone;
  bool stopped = false;
};
Relay relay;

void on_receive(Operation& operation, const Completion& completion) noexcept;
void on_send(Operation& operation, const Completion& completion) noexcept;
void on_connect(Operation& operation, const Completion& completion) noexcept;

struct Pair {
  explicit Pair(int client_descriptor)
      : client(client_descriptor),
        to_server(&on_receive, &on_send, *this),
        to_client(&on_receive, &on_send, *this),
        connect(&on_connect, *this) {}
  int client;
  int server = -1;
  bool closing = false;
  Flow to_server;
  Flow to_client;
  Step connect;
};

void pump(Flow& flow) noexcept {
  if (flow.send.in_flight || flow.waiting.empty()) return;
  std::swap(flow.waiting, flow.sending);
  flow.vectors.clear();
  for (const Buffer& buffer : flow.sending) flow.vectors.push_back({buffer.data, buffer.size});
  relay.ring->send(flow.send, flow.target, flow.vectors);
}

void close_pair(Pair& pair) noexcept {
  pair.closing = true;
  for (Step* step :
       {&pair.to_server.receive, &pair.to_server.send, &pair.to_client.receive, &pair.to_client.send, &pair.connect}) {
    relay.ring->cancel(*step);
  }
  for (const Step* step :
       {&pair.to_server.receive, &pair.to_server.send, &pair.to_client.receive, &pair.to_client.send, &pair.connect}) {
    if (step->in_flight) return;
  }
  for (Flow* flow : {&pair.to_server, &pair.to_client}) {
    for (const Buffer& buffer : flow->waiting) relay.ring->release(buffer);
    for (const Buffer& buffer : flow->sending) relay.ring->release(buffer);
  }
  relay.ring->close(pair.client);
  relay.ring->close(pair.server);
  relay.gone.push_back(&pair);
}

void on_receive(Operation& operation, const Completion& completion) noexcept {
  Pair& pair = static_cast<Step&>(operation).pair;
  Flow& flow = &operation == &pair.to_server.receive ? pair.to_server : pair.to_client;
  if (completion.buffer) flow.waiting.push_back(completion.buffer);
  if (pair.closing) {
    if (!completion.more) close_pair(pair);
    return;
  }
  if (completion.result == -ENOBUFS) return relay.ring->receive(flow.receive, flow.source);
  if (completion.result <= 0) return close_pair(pair);
  pump(flow);
}

void on_send(Operation& operation, const Completion& completion) noexcept {
  Pair& pair = static_cast<Step&>(operation).pair;
  Flow& flow = &operation == &pair.to_server.send ? pair.to_server : pair.to_client;
  for (const Buffer& buffer : flow.sending) relay.ring->release(buffer);
  flow.sending.clear();
  if (pair.closing || completion.result < 0) return close_pair(pair);
  pump(flow);
}

void on_connect(Operation& operation, const Completion& completion) noexcept {
  Pair& pair = static_cast<Step&>(operation).pair;
  if (pair.closing || completion.result < 0) return close_pair(pair);
  relay.ring->receive(pair.to_server.receive, pair.client);
  relay.ring->receive(pair.to_client.receive, pair.server);
}

void on_accept(Operation&, const Completion& completion) noexcept {
  if (completion.result < 0) return;
  auto* pair = new Pair(completion.result);
  const int on = 1;
  pair->server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  HAWSER_CHECK(pair->server >= 0);
  setsockopt(pair->server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  pair->to_server.source = pair->to_client.target = pair->client;
  pair->to_server.target = pair->to_client.source = pair->server;
  relay.ring->connect(pair->connect, pair->server, relay.origin);
}

void on_signal(int) {
  relay.stopped = true;
  relay.ring->wake();
}

int open_listener(std::uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const SocketAddress address = SocketAddress::ip(IpAddress::v4(INADDR_LOOPBACK), port);
  HAWSER_CHECK(bind(listener, &address.any, address.size) == 0);
  HAWSER_CHECK(listen(listener, 1024) == 0);
  return listener;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: bench_relay LISTEN_PORT ORIGIN_PORT [io_uring|epoll]\n");
    return 2;
  }
  const bool epoll = count > 3 && std::string_view(words[3]) == "epoll";
  auto made = make_ring({.kind = epoll ? RingKind::epoll : RingKind::uring});
  if (!made.ok()) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  relay.ring = std::move(made).value();
  relay.origin = SocketAddress::ip(IpAddress::v4(INADDR_LOOPBACK), static_cast<std::uint16_t>(std::atoi(words[2])));
  std::signal(SIGTERM, on_signal);
  std::signal(SIGINT, on_signal);
  Operation accept(&on_accept);
  const int listener = open_listener(static_cast<std::uint16_t>(std::atoi(words[1])));
  relay.ring->accept(accept, listener);
  std::puts("ready");
  std::fflush(stdout);
  while (!relay.stopped) {
    relay.ring->turn(1000);
    for (Pair* pair : relay.gone) delete pair;
    relay.gone.clear();
  }
  const RingCounters& counters = relay.ring->counters();
  std::printf("%s: turns %llu, enters %llu, submissions %llu, completions %llu, dry %llu\n",
              std::string(relay.ring->name()).c_str(), static_cast<unsigned long long>(counters.turns),
              static_cast<unsigned long long>(counters.enters), static_cast<unsigned long long>(counters.submissions),
              static_cast<unsigned long long>(counters.completions),
              static_cast<unsigned long long>(counters.buffers_exhausted));
}
