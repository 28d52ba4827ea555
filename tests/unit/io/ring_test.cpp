// What ring.h promises, claimed of every implementation.
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <thread>

#include "tests/unit/io/rings.h"

using namespace hawser;
using namespace hawser::io;
using namespace hawser::io::test;

TEST_CASE("bytes sent before and after the start of a receive arrive in order, and the end of the stream is a zero") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    REQUIRE(write(far, "one ", 4) == 4);
    Probe receive(*ring);
    receive.starting = true;
    ring->receive(receive, near);
    receive.starting = false;
    CHECK(turn_until(*ring, [&] { return receive.bytes == "one "; }));
    REQUIRE(write(far, "two ", 4) == 4);
    CHECK(turn_until(*ring, [&] { return receive.bytes == "one two "; }));
    REQUIRE(write(far, "three", 5) == 5);
    close(far);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    CHECK(receive.bytes == "one two three");
    CHECK(receive.last() == 0);
    ring->close(near);
    ring->turn(0);
    CHECK(fcntl(near, F_GETFD) == -1);
  });
}

TEST_CASE("more bytes than the pool holds arrive when their buffers are given back") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind, {.buffer_bytes = 64, .buffers = 4, .buffers_max = 8});
    auto [near, far] = stream_pair();
    const std::string text = text_of(10'000);
    REQUIRE(write(far, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    Probe receive(*ring);
    receive.then = [](Probe& probe) {
      if (probe.ended && probe.last() == -ENOBUFS) probe.ring_used->receive(probe, probe.ring.descriptor);
    };
    ring->receive(receive, near);
    CHECK(turn_until(*ring, [&] { return receive.bytes.size() >= text.size(); }));
    CHECK(receive.bytes == text);
    close(far);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    close(near);
  });
}

TEST_CASE("a pool at its bound ends the receive with ENOBUFS, and a new receive goes on behind the last byte") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind, {.buffer_bytes = 64, .buffers = 4, .buffers_max = 8});
    auto [near, far] = stream_pair();
    const std::string text = text_of(64 * 20);
    REQUIRE(write(far, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    Probe receive(*ring);
    receive.keep = true;
    receive.then = [](Probe& probe) {  // until nothing comes any more between two ends
      const bool first_end = probe.results.size() < 2 || probe.results[probe.results.size() - 2] != -ENOBUFS;
      if (probe.ended && first_end) probe.ring_used->receive(probe, probe.ring.descriptor);
    };
    ring->receive(receive, near);
    CHECK(turn_until(*ring, [&] { return receive.ended && !receive.in_flight; }));
    CHECK(receive.last() == -ENOBUFS);
    CHECK(receive.kept.size() == 8);
    CHECK(ring->counters().buffers_exhausted >= 1);
    receive.release_kept();
    receive.keep = false;
    receive.then = [](Probe& probe) {
      if (probe.ended && probe.last() == -ENOBUFS) probe.ring_used->receive(probe, probe.ring.descriptor);
    };
    ring->receive(receive, near);
    CHECK(turn_until(*ring, [&] { return receive.bytes.size() >= text.size(); }));
    CHECK(receive.bytes == text);
    ring->cancel(receive);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    close(near);
    close(far);
  });
}

TEST_CASE("a send of several vectors larger than the socket's buffer completes once, with the sum") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    const std::string head = text_of(1000), body = text_of(3'000'000), tail = text_of(77);
    const std::array<iovec, 4> vectors = {{{const_cast<char*>(head.data()), head.size()},
                                           {nullptr, 0},
                                           {const_cast<char*>(body.data()), body.size()},
                                           {const_cast<char*>(tail.data()), tail.size()}}};
    Probe send(*ring), receive(*ring);
    send.starting = true;
    ring->send(send, near, vectors);
    send.starting = false;
    ring->receive(receive, far);
    receive.then = [](Probe& probe) {
      if (probe.ended && probe.last() == -ENOBUFS) probe.ring_used->receive(probe, probe.ring.descriptor);
    };
    CHECK(turn_until(*ring, [&] { return send.ended; }));
    CHECK(send.results == std::vector<int>{3'001'077});
    CHECK(turn_until(*ring, [&] { return receive.bytes.size() >= 3'001'077; }));
    CHECK(receive.bytes == head + body + tail);
    ring->cancel(receive);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    close(near);
    close(far);
  });
}

TEST_CASE("a send to a peer that has gone fails with EPIPE and raises no signal") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    close(far);
    const iovec vector{const_cast<char*>("x"), 1};
    Probe send(*ring);
    ring->send(send, near, {&vector, 1});
    CHECK(turn_until(*ring, [&] { return send.ended; }));
    CHECK(send.last() == -EPIPE);
    close(near);
  });
}

TEST_CASE("an accept hands over every connection, non-blocking and close-on-exec, until it is cancelled") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    TcpListener listener;
    Probe accept(*ring);
    ring->accept(accept, listener.descriptor);
    std::deque<Probe> connects;
    std::vector<int> sockets;
    for (int i = 0; i < 5; ++i) {
      sockets.push_back(tcp_socket());
      connects.emplace_back(*ring);
      ring->connect(connects.back(), sockets.back(), listener.address);
    }
    CHECK(turn_until(*ring, [&] { return accept.results.size() == 5; }));
    for (Probe& connect : connects) {
      CHECK(turn_until(*ring, [&] { return connect.ended; }));
      CHECK(connect.last() == 0);
    }
    for (const int accepted : accept.results) {
      CHECK((fcntl(accepted, F_GETFL) & O_NONBLOCK) != 0);
      CHECK((fcntl(accepted, F_GETFD) & FD_CLOEXEC) != 0);
      close(accepted);
    }
    ring->cancel(accept);
    CHECK(turn_until(*ring, [&] { return accept.ended; }));
    CHECK(accept.last() == -ECANCELED);
    for (const int socket : sockets) close(socket);
  });
}

TEST_CASE("a connect to a port without a listener is refused") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    SocketAddress address;
    {
      TcpListener gone;
      address = gone.address;
    }
    const int socket = tcp_socket();
    Probe connect(*ring);
    ring->connect(connect, socket, address);
    CHECK(turn_until(*ring, [&] { return connect.ended; }));
    CHECK(connect.last() == -ECONNREFUSED);
    close(socket);
  });
}

TEST_CASE("a connected socket sends and receives at once, both ways") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    TcpListener listener;
    Probe accept(*ring), connect(*ring), request(*ring), reply(*ring), server(*ring), client(*ring);
    const int socket = tcp_socket();
    ring->accept(accept, listener.descriptor);
    ring->connect(connect, socket, listener.address);
    CHECK(turn_until(*ring, [&] { return connect.ended && !accept.results.empty(); }));
    const int accepted = accept.last();
    const iovec ping{const_cast<char*>("ping"), 4}, pong{const_cast<char*>("pong"), 4};
    ring->receive(server, accepted);
    ring->receive(client, socket);
    ring->send(request, socket, {&ping, 1});
    ring->send(reply, accepted, {&pong, 1});
    CHECK(turn_until(*ring, [&] { return server.bytes == "ping" && client.bytes == "pong"; }));
    CHECK(turn_until(*ring, [&] { return request.ended && reply.ended; }));
    CHECK(request.last() == 4);
    ring->cancel(accept);
    ring->cancel(server);
    ring->cancel(client);
    CHECK(turn_until(*ring, [&] { return accept.ended && server.ended && client.ended; }));
    ring->close(accepted);
    ring->close(socket);
    ring->turn(0);
  });
}

TEST_CASE("a reset by the peer ends a receive with ECONNRESET behind nothing lost") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    TcpListener listener;
    Probe accept(*ring), connect(*ring), receive(*ring);
    const int socket = tcp_socket();
    ring->accept(accept, listener.descriptor);
    ring->connect(connect, socket, listener.address);
    CHECK(turn_until(*ring, [&] { return connect.ended && !accept.results.empty(); }));
    ring->receive(receive, accept.last());
    ring->turn(0);
    const linger at_once{1, 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    CHECK(receive.last() == -ECONNRESET);
    close(accept.last());
    ring->cancel(accept);
    CHECK(turn_until(*ring, [&] { return accept.ended; }));
  });
}

TEST_CASE("a cancelled receive ends once, and bytes that came first are delivered before the end") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    Probe receive(*ring);
    ring->receive(receive, near);
    ring->turn(0);
    REQUIRE(write(far, "late", 4) == 4);
    ring->cancel(receive);
    ring->cancel(receive);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    CHECK(receive.last() == -ECANCELED);
    CHECK((receive.bytes.empty() || receive.bytes == "late"));
    // What was not delivered is still in the socket: nothing is lost when a connection moves.
    auto other = ring_of(kind);
    Probe rest(*other);
    rest.bytes = receive.bytes;
    other->receive(rest, near);
    close(far);
    CHECK(turn_until(*other, [&] { return rest.ended; }));
    CHECK(rest.bytes == "late");
    close(near);
  });
}

TEST_CASE("a send that waits for room ends when it is cancelled") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    const std::string body = text_of(4'000'000);
    const iovec vector{const_cast<char*>(body.data()), body.size()};
    Probe send(*ring);
    ring->send(send, near, {&vector, 1});
    ring->turn(0);
    CHECK_FALSE(send.ended);
    ring->cancel(send);
    CHECK(turn_until(*ring, [&] { return send.ended; }));
    CHECK(send.last() == -ECANCELED);
    close(near);
    close(far);
  });
}

TEST_CASE("an operation may be started again from its own last completion, many times over") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    auto [near, far] = stream_pair();
    Probe receive(*ring), send(*ring);
    static const iovec vector{const_cast<char*>("0123456789"), 10};
    ring->receive(receive, far);
    send.then = [](Probe& probe) {
      if (probe.results.size() < 3000) probe.ring_used->send(probe, probe.ring.descriptor, {&vector, 1});
    };
    ring->send(send, near, {&vector, 1});
    CHECK(turn_until(*ring, [&] { return receive.bytes.size() == 30'000; }));
    CHECK(send.results.size() == 3000);
    close(near);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    close(far);
  });
}

TEST_CASE("more operations than the queue has entries are started in one turn") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind, {.entries = 32, .buffer_bytes = 64, .buffers = 256});
    std::deque<Probe> receives, sends;
    std::vector<int> nears, fars;
    const iovec vector{const_cast<char*>("x"), 1};
    for (int i = 0; i < 200; ++i) {
      auto [near, far] = stream_pair();
      nears.push_back(near);
      fars.push_back(far);
      ring->receive(receives.emplace_back(*ring), near);
      ring->send(sends.emplace_back(*ring), far, {&vector, 1});
    }
    // 400 completions overflow a queue of 64 as well.
    for (Probe& receive : receives) CHECK(turn_until(*ring, [&] { return receive.bytes == "x"; }));
    for (Probe& send : sends) CHECK(turn_until(*ring, [&] { return send.ended; }));
    for (const int far : fars) ring->close(far);
    for (Probe& receive : receives) CHECK(turn_until(*ring, [&] { return receive.ended; }));
    for (const int near : nears) ring->close(near);
    ring->turn(0);
  });
}

TEST_CASE("a poll completes when an eventfd can be read, each time it is asked") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    const int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    Probe poll(*ring);
    for (int round = 1; round <= 3; ++round) {
      ring->poll_readable(poll, event);
      ring->turn(0);
      ring->turn(0);
      CHECK(poll.results.size() == static_cast<std::size_t>(round - 1));
      REQUIRE(eventfd_write(event, 1) == 0);
      CHECK(turn_until(*ring, [&] { return poll.results.size() == static_cast<std::size_t>(round); }));
      eventfd_t value = 0;
      REQUIRE(eventfd_read(event, &value) == 0);
    }
    REQUIRE(eventfd_write(event, 1) == 0);
    ring->poll_readable(poll, event);
    CHECK(turn_until(*ring, [&] { return poll.results.size() == 4; }));
    ring->poll_readable(poll, event);  // not read since
    CHECK(turn_until(*ring, [&] { return poll.results.size() == 5; }));
    CHECK(poll.last() == 0);
    close(event);
  });
}

TEST_CASE(
    "a stream that is opened is non-blocking, close-on-exec and without delay, and knows its ends once connected") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    TcpListener listener;
    const int stream = ring->open_stream(AF_INET);
    REQUIRE(stream >= 0);
    CHECK((fcntl(stream, F_GETFL) & O_NONBLOCK) != 0);
    CHECK((fcntl(stream, F_GETFD) & FD_CLOEXEC) != 0);
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    CHECK(getsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size) == 0);
    CHECK(no_delay == 1);
    CHECK(ring->peer_address(stream).size == 0);
    Probe connect(*ring), accept(*ring), receive(*ring);
    ring->accept(accept, listener.descriptor);
    ring->connect(connect, stream, listener.address);
    CHECK(turn_until(*ring, [&] { return connect.ended && !accept.results.empty(); }));
    CHECK(ring->peer_address(stream).to_string() == listener.address.to_string());
    CHECK(ring->local_address(stream).to_string() == ring->peer_address(accept.last()).to_string());
    const int accepted = accept.last();
    ring->receive(receive, accepted);
    ring->finish(stream);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    CHECK(receive.last() == 0);
    ring->receive(receive, accepted);
    CHECK(turn_until(*ring, [&] { return receive.ended; }));
    ring->reset_on_close(stream);
    ring->close(stream);
    ring->cancel(accept);
    CHECK(turn_until(*ring, [&] { return accept.ended; }));
    close(accepted);
    CHECK(ring->open_stream(-1) == -EAFNOSUPPORT);
  });
}

TEST_CASE("wake from another thread ends a turn without a time limit, also when it comes first") {
  on_each_ring([](RingKind kind) {
    auto ring = ring_of(kind);
    for (int round = 0; round < 20; ++round) {
      ring->wake();
      ring->turn(-1);
      std::thread other([&] { ring->wake(); });
      ring->turn(-1);
      other.join();
      ring->turn(0);
    }
    CHECK(ring->counters().turns == 60);
  });
}

TEST_CASE("the wish for a ring in the environment is obeyed, and another word is an error") {
  setenv("HAWSER_RING", "epoll", 1);
  CHECK(ring_of(RingKind::automatic)->name() == "epoll");
  setenv("HAWSER_RING", "io_uring", 1);
  CHECK(ring_of(RingKind::automatic)->name() == "io_uring");
  setenv("HAWSER_RING", "kqueue", 1);
  CHECK_FALSE(make_ring({}).ok());
  unsetenv("HAWSER_RING");
}
