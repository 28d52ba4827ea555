// Requests and responses from a client to an origin and back.
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

TEST_CASE("a request reaches the server and its response the client") {
  SharedText seen;
  Origin origin([&](Wire& wire, int) {
    seen = wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nX-Foo: Bar\r\nContent-Length: 5\r\n\r\nhello");
    wire.read_head();
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  client.send("GET /a?b=c HTTP/1.1\r\nHost: x\r\nFoo-Bar: Baz\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 200 OK\r\nx-foo: Bar\r\ncontent-length: 5\r\n\r\n");
  CHECK(client.read(5) == "hello");
  CHECK(seen.get() == "GET /a?b=c HTTP/1.1\r\nhost: x\r\nfoo-bar: Baz\r\n\r\n");
}

TEST_CASE("client and server connections are kept for the next request") {
  Origin origin(answering(std::string(kOk)));
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    CHECK(client.read_head() == "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
    CHECK(client.read(2) == "ok");
  }
  CHECK(origin.connections() == 1);
}

TEST_CASE("pipelined requests are answered in their order") {
  Origin origin([](Wire& wire, int) {
    for (;;) {
      const std::string head = wire.read_head();
      if (head.find("\r\n\r\n") == std::string::npos) return;
      wire.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + head.substr(5, 1));
    }
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  std::string order;
  for (int i = 0; i < 3; ++i) {
    client.read_head();
    order += client.read(1);
  }
  CHECK(order == "123");
}

}  // namespace
}  // namespace hawser::proxy::test
