// Bodies of every kind, both ways, and what ends them.
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

std::string once(Running& proxy, std::string_view request) {
  Wire client = proxy.connect();
  client.send(request);
  return client.read_all();
}

constexpr std::string_view kGetAndClose = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST_CASE("a chunked response keeps its payload and its trailers") {
  Origin origin(answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-Trail: z\r\n\r\n"));
  Running proxy(Setup::http({at(origin)}));
  CHECK(once(proxy, kGetAndClose) ==
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: "
        "close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nx-trail: z\r\n\r\n");
}

TEST_CASE("a body that lasts until the server closes ends with the client's connection") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello");
  });
  Running proxy(Setup::http({at(origin)}));
  CHECK(once(proxy, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") ==
        "HTTP/1.1 200 OK\r\na: b\r\nconnection: close\r\n\r\nhello");
}

TEST_CASE("responses to HEAD, 204 and 304 have no body, and the next one follows") {
  SharedText response;
  Origin origin([&](Wire& wire, int) {
    while (wire.read_head().find("\r\n\r\n") != std::string::npos) wire.send(response.get());
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  response = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n";
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n");
  response = "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n";
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 204 No Content\r\na: b\r\n\r\n");
  response = "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n";
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n");
}

TEST_CASE("a request's body of several megabytes arrives whole, chunked or counted") {
  for (const bool chunked : {false, true}) {
    CAPTURE(chunked);
    const std::string block(10'000, 'b');
    constexpr int kBlocks = 500;
    std::atomic<std::size_t> received{0};
    Origin origin([&](Wire& wire, int) {
      wire.read_head();
      if (chunked) {
        for (;;) {
          const std::size_t size = std::stoul(wire.read_until("\r\n"), nullptr, 16);
          if (size == 0) break;
          received += wire.read(size).size();
          wire.read(2);
        }
      } else {
        received = wire.read(block.size() * kBlocks).size();
      }
      wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      wire.read_head();
    });
    Running proxy(Setup::http({at(origin)}));
    Wire client = proxy.connect();
    client.send(chunked ? std::string("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                        : "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(block.size() * kBlocks) +
                              "\r\n\r\n");
    for (int i = 0; i < kBlocks; ++i) client.send(chunked ? "2710\r\n" + block + "\r\n" : block);
    if (chunked) client.send("0\r\n\r\n");
    client.read_head();
    CHECK(client.read(2) == "ok");
    CHECK(received.load() == block.size() * kBlocks);
  }
}

TEST_CASE("a large response to a slow reader is held back, then arrives whole") {
  constexpr std::size_t kBytes = 30'000'000;
  std::atomic<std::size_t> sent{0};
  Origin origin([&](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBytes) + "\r\n\r\n");
    const std::string block(100'000, 'r');
    for (std::size_t i = 0; i < kBytes; i += block.size()) {
      wire.send(block);
      sent += block.size();
    }
    wire.read_head();
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_head();
  std::size_t before = 0;
  CHECK(proxy.eventually([&] {  // it stands still
    const std::size_t now = sent;
    return now > 0 && std::exchange(before, now) == now;
  }));
  CHECK(sent < kBytes);
  CHECK(client.read(kBytes).size() == kBytes);
}

TEST_CASE("interim responses pass, and Expect: 100-continue waits for the server's word") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 100 Continue\r\n\r\n");
    const std::string body = wire.read(3);
    wire.send("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + body);
    wire.read_head();
  });
  Running proxy(Setup::http({at(origin)}));
  Wire client = proxy.connect();
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  CHECK(client.read_head() == "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n");
  client.read_head();
  CHECK(client.read(3) == "abc");
}

TEST_CASE("a response that comes before the request is over is passed on at once") {
  SharedText rest;
  Origin origin([&](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 403 Nope\r\nContent-Length: 2\r\n\r\nno");
    rest = wire.read(3);
    wire.read_head();
  });
  {
    Running proxy(Setup::http({at(origin)}));
    Wire client = proxy.connect();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
    CHECK(client.read_head() == "HTTP/1.1 403 Nope\r\ncontent-length: 2\r\n\r\n");
    CHECK(client.read(2) == "no");
    client.send("abcGET / HTTP/1.1\r\nHost: x\r\n\r\n");  // the next one waits for this one's body
    CHECK(proxy.eventually([&] { return !rest.get().empty(); }));
  }
  CHECK(rest.get() == "abc");
}

TEST_CASE("an upgraded connection and CONNECT become tunnels") {
  Origin origin([](Wire& wire, int) {
    const std::string head = wire.read_head();
    if (head.substr(0, 7) == "CONNECT") {
      wire.send("HTTP/1.1 200 OK\r\n\r\nhi");
    } else {
      wire.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\nhi");
    }
    wire.send(wire.read(4) + "bye");
  });
  Running proxy(Setup::http({at(origin)}));
  for (const std::string_view request : {"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n",
                                         "CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n"}) {
    Wire client = proxy.connect();
    client.send(request);
    const std::string head = client.read_head();
    CHECK(client.read(2) == "hi");
    client.send("data");
    CHECK(client.read_all() == "databye");
  }
}

TEST_CASE("a response cut short cuts the client short") {
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok");
  });
  Running proxy(Setup::http({at(origin)}));
  CHECK(once(proxy, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") == "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nok");
}

}  // namespace
}  // namespace hawser::proxy::test
