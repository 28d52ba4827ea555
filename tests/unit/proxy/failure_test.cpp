// What the client sees when something goes wrong. Statuses and words are haproxy 2.6.12's.
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view k503 =
    "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 107\r\ncache-control: no-cache\r\ncontent-type: "
    "text/html\r\n\r\n"
    "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n";
constexpr std::string_view k400 =
    "HTTP/1.1 400 Bad request\r\nContent-length: 90\r\nCache-Control: no-cache\r\nConnection: close\r\nContent-Type: "
    "text/html\r\n\r\n<html><body><h1>400 Bad request</h1>\nYour browser sent an invalid request.\n</body></html>\n";

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

std::string status_line(Wire& wire) {
  const std::string head = wire.read_head();
  return head.substr(0, head.find("\r\n"));
}

TEST_CASE("a request that is none is answered with 400 and the end of the connection") {
  Running proxy(Setup::http({}));
  for (const std::string_view request :
       {"GET a b HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost x\r\n\r\n", "\x16\x03\x01\n\n"}) {
    Wire client = proxy.connect();
    client.send(request);
    CHECK(client.read_all() == k400);
  }
}

TEST_CASE("a head over the limit is answered with 400") {
  Running proxy(Setup::http({}));
  Wire client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(16'000, 'a') + "\r\n\r\n");
  CHECK(client.read_all() == k400);
}

TEST_CASE("a head in many small pieces is read as one") {
  Origin origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(9'000, 'a') + "\r\n\r\n";
  for (std::size_t i = 0; i < request.size(); i += 1'000) client.send(std::string_view(request).substr(i, 1'000));
  CHECK(status_line(client) == "HTTP/1.1 200 OK");
}

TEST_CASE("without a usable server the answer is 503 and the connection is kept") {
  Running proxy(Setup::http({{.name = "s1", .port = 1, .disabled = true}}));
  Wire client = proxy.connect();
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    CHECK(client.read(k503.size()) == k503);
  }
}

TEST_CASE("a server that refuses is tried again, another at once when redispatching") {
  Origin origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  Setup setup = Setup::http({{.name = "dead", .port = dead_port()}, {.name = "alive", .port = origin.port()}});
  setup.back().row.redispatch = true;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(status_line(client) == "HTTP/1.1 200 OK");
}

TEST_CASE("after the last retry the answer is 503") {
  Setup setup = Setup::http({{.name = "dead", .port = dead_port()}});
  setup.back().row.retries = 1;
  setup.back().row.timeouts.connect = 20;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(client.read(k503.size()) == k503);
}

TEST_CASE("a server that closes or resets without an answer gives 502, one that talks nonsense too") {
  for (const std::string_view answer :
       {"", "hello there\r\n\r\n", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/1.1 200 OK\r\na: "}) {
    CAPTURE(answer);
    Origin origin([&](Wire& wire, int) {
      wire.read_head();
      wire.send(answer);
      if (answer.empty()) wire.reset();
    });
    Running proxy(Setup::http({at(origin)}));
    Wire client = proxy.connect();
    client.send(kGet);
    CHECK(status_line(client) == "HTTP/1.1 502 Bad Gateway");
  }
}

TEST_CASE("a server that resets before it has the whole request gives no answer at all") {
  Origin origin([](Wire& wire, int) {
    wire.read_until("abc");
    wire.reset();
  });
  Running proxy(Setup::http({at(origin)}));
  Wire whole = proxy.connect();
  whole.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(status_line(whole) == "HTTP/1.1 502 Bad Gateway");
  Wire half = proxy.connect();
  half.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabc");
  CHECK(half.read_all() == "");
}

TEST_CASE("a kept server connection that dies with a later request closes the client's without a word") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    wire.read_head();
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(status_line(client) == "HTTP/1.1 200 OK");
  CHECK(client.read(2) == "ok");
  client.send(kGet);
  CHECK(client.read_all() == "");
}

TEST_CASE("a silent server gives 504 after timeout server") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.read_head();
  });
  Setup setup = Setup::http({at(origin)});
  setup.back().row.timeouts.server = 30;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(status_line(client) == "HTTP/1.1 504 Gateway Time-out");
}

TEST_CASE("a request that does not come in time gives 408, an idle kept connection ends in silence") {
  Origin origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  Setup setup = Setup::http({at(origin)});
  setup.front().row.timeouts.http_request = 50;
  Running proxy(setup);
  Wire slow = proxy.connect();
  slow.send("GET / HT");
  CHECK(status_line(slow) == "HTTP/1.1 408 Request Time-out");
  Wire silent = proxy.connect();
  CHECK(status_line(silent) == "HTTP/1.1 408 Request Time-out");
  Wire kept = proxy.connect();
  kept.send(kGet);
  kept.read_head();
  CHECK(kept.read_all() == "ok");
}

TEST_CASE("a client that goes away mid-request or mid-response leaves nothing behind") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
    wire.fill(10'000'000);
    wire.read_head();
  });
  Running proxy(Setup::http({at(origin)}));
  {
    Wire first = proxy.connect();
    first.send("GE");
    Wire second = proxy.connect();
    second.send(kGet);
    second.read(1000);
    Wire third = proxy.connect();
    third.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    third.read(100);
    third.reset();
  }
  CHECK(proxy.eventually([&] { return proxy.worker().sessions() == 0; }));
}

}  // namespace
}  // namespace hawser::proxy::test
