// Which connections are kept, and what is said about it: modes, versions, reuse of server connections, limits,
// draining. The fields are haproxy 2.6.12's.
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

struct Exchanged {
  std::string request;   // as the server saw it
  std::string response;  // as the client saw it
};

Exchanged exchange(abi::ConnectionMode mode, std::string_view request, std::string_view response) {
  SharedText seen;
  Origin origin([&](Wire& wire, int) {
    seen = wire.read_head();
    wire.send(response);
    wire.read_head();
  });
  Setup setup = Setup::http({at(origin)});
  setup.front().row.connection_mode = mode;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(request);
  const std::string answer = client.read_head();
  return {.request = seen.get(), .response = answer};
}

TEST_CASE("the connection field says what each side is to expect, by mode and version") {
  using Mode = abi::ConnectionMode;
  const std::string_view get10 = "GET / HTTP/1.0\r\n\r\n";
  const std::string_view keep10 = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  const std::string_view close11 = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string_view ok10 = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
  const std::string_view ok11 = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  struct {
    Mode mode;
    std::string_view request, response, sent, answered;
  } const cases[] = {
      {Mode::keep_alive, kGet, ok11, "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"},
      {Mode::keep_alive, close11, ok11, "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"},
      {Mode::keep_alive, get10, ok11, "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"},
      {Mode::keep_alive, keep10, ok11, "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n"},
      {Mode::keep_alive, kGet, ok10, "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
       "HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n"},
      {Mode::keep_alive, get10, ok10, "GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
       "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"},
      {Mode::server_close, kGet, ok11, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"},
      {Mode::server_close, keep10, ok11, "GET / HTTP/1.0\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n"},
      {Mode::close, kGet, ok11, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"},
      {Mode::close, keep10, ok11, "GET / HTTP/1.0\r\n\r\n",
       "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.request);
    const Exchanged exchanged = exchange(one.mode, one.request, one.response);
    CHECK(exchanged.request == one.sent);
    CHECK(exchanged.response == one.answered);
  }
}

// The server connections that two sessions of two requests each need.
int connections_used(abi::Reuse reuse) {
  Origin origin(answering(std::string(kOk)));
  Setup setup = Setup::http({at(origin)});
  setup.back().row.reuse = reuse;
  Running proxy(setup);
  for (int session = 0; session < 2; ++session) {
    Wire client = proxy.connect();
    for (int request = 0; request < 2; ++request) {
      client.send(kGet);
      client.read_head();
      client.read(2);
    }
    client.finish();
    CHECK(client.at_end());
  }
  return origin.connections();
}

TEST_CASE("http-reuse decides what the first request of a session may use") {
  CHECK(connections_used(abi::Reuse::never) == 2);
  CHECK(connections_used(abi::Reuse::safe) == 2);
  CHECK(connections_used(abi::Reuse::aggressive) == 1);  // used again by the first session: proven
  CHECK(connections_used(abi::Reuse::always) == 1);
}

TEST_CASE("an idle server connection that the server closes is not used again") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send(kOk);
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  auto& counters = proxy.generation().installed->proxies()[1].servers[0].state->counters;
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    CHECK(client.read_head().substr(0, 15) == "HTTP/1.1 200 OK");
    client.read(2);
    CHECK(
        proxy.eventually([&] { return origin.connections() == i + 1 && counters.sum(&tables::Counters::idle) == 0; }));
  }
}

TEST_CASE("server connections that wait take a fifth of the descriptors at most") {
  Origin origin(answering(std::string(kOk)));
  Setup setup = Setup::http({at(origin)});
  setup.back().row.reuse = abi::Reuse::safe;
  setup.maxconn = 10;
  Running proxy(setup);
  for (int i = 0; i < 12; ++i) {
    Wire client = proxy.connect();
    client.send(kGet);
    CHECK(client.read_head().substr(0, 15) == "HTTP/1.1 200 OK");
    client.read(2);
    client.close();
    CHECK(proxy.eventually([&] { return proxy.worker().sessions() == 0; }));
  }
  auto& counters = proxy.generation().installed->proxies()[1].servers[0].state->counters;
  CHECK(origin.connections() == 12);
  CHECK(counters.sum(&tables::Counters::idle) == 4);
}

TEST_CASE("a frontend accepts no more connections than its maxconn, and goes on when one ends") {
  Origin origin(answering(std::string(kOk)));
  Setup setup = Setup::http({at(origin)});
  setup.front().row.maxconn = 2;
  Running proxy(setup, 2);
  Wire first = proxy.connect();
  Wire second = proxy.connect();
  for (Wire* client : {&first, &second}) {
    client->send(kGet);
    client->read_head();
    client->read(2);
  }
  Wire third = proxy.connect();
  third.send(kGet);
  CHECK(proxy.worker(0).sessions() + proxy.worker(1).sessions() == 2);
  first.close();
  CHECK(third.read_head().substr(0, 15) == "HTTP/1.1 200 OK");
}

TEST_CASE("connections spread over the workers") {
  Origin origin(answering(std::string(kOk)));
  Running proxy(Setup::http({at(origin)}), 3);
  std::vector<Wire> clients;
  for (int i = 0; i < 30; ++i) {
    clients.push_back(proxy.connect());
    clients.back().send(kGet);
    clients.back().read_head();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(proxy.worker(i).sessions() >= 8);
    CHECK(proxy.worker(i).sessions() <= 12);
  }
}

TEST_CASE("a draining worker ends idle connections, finishes responses, and ends with the last session") {
  std::atomic<bool> answer{false};
  Origin origin([&](Wire& wire, int) {
    for (std::string head = wire.read_head(); !head.empty(); head = wire.read_head()) {
      wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
      while (head.find("/slow") != std::string::npos && !answer) std::this_thread::yield();
      wire.send("ok");
    }
  });
  Running proxy(Setup::http({at(origin)}));
  Wire idle = proxy.connect();
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.read_head();
  CHECK(idle.read(2) == "ok");
  Wire busy = proxy.connect();
  busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  busy.read_head();
  proxy.worker().drain();
  CHECK(idle.at_end());
  answer = true;
  CHECK(busy.read_all() == "ok");
  proxy.join();
  CHECK(proxy.worker().sessions() == 0);
}

TEST_CASE("X-Forwarded-For is added as the last field") {
  SharedText seen;
  Origin origin([&](Wire& wire, int) {
    seen = wire.read_head();
    wire.send(kOk);
    wire.read_head();
  });
  Setup setup = Setup::http({at(origin)});
  setup.front().row.forward_for.enabled = true;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.1\r\nHost: x\r\n\r\n");
  client.read_head();
  CHECK(seen.get() == "GET / HTTP/1.1\r\nx-forwarded-for: 192.0.2.1\r\nhost: x\r\nx-forwarded-for: 127.0.0.1\r\n\r\n");
}

}  // namespace
}  // namespace hawser::proxy::test
