// The whole proxy on the simulated ring: whatever the network does, no byte is lost or invented, nothing leaks, and the same
// seed gives the same run.
#include <cstdio>
#include <optional>

#include "tests/unit/proxy/sim_world.h"

namespace hawser::proxy::test {
namespace {

constexpr std::uint16_t kPort = 8080;

Setup setup_for(abi::Mode mode) {
  Setup setup = mode == abi::Mode::http ? Setup::http({{.name = "s1", .port = kPort}})
                                        : Setup::tcp({{.name = "s1", .port = kPort}});
  setup.back().row.retries = 0;
  return setup;
}

SocketAddress origin_address() { return SocketAddress::ip(IpAddress::v4(0x7f000001), kPort); }

// An origin that answers "GET /N" with a body of N bytes, counted or chunked, and a POST with its body's size.
void serve_sizes(World& world) {
  world.simulation.serve(origin_address(), [&world](io::SimPeer& peer) {
    peer.on_event = [&world](io::SimPeer& origin) {
      auto& bytes = const_cast<std::string&>(origin.received());
      for (;;) {
        const std::size_t end = bytes.find("\r\n\r\n");
        if (end == std::string::npos) return;
        const std::string head = bytes.substr(0, end + 4);
        if (head[0] == 'P') {
          const std::size_t size = std::stoul(head.substr(head.find("content-length: ") + 16));
          if (bytes.size() < head.size() + size) return;
          const bool sound = bytes.substr(head.size(), size) == std::string(size, 'p');
          bytes.erase(0, head.size() + size);
          origin.send(sound ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsound"
                            : "HTTP/1.1 500 Bad\r\nContent-Length: 0\r\n\r\n");
          continue;
        }
        bytes.erase(0, head.size());
        const std::size_t size = std::stoul(head.substr(5));
        if (world.random() % 2 == 0) {
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
                      std::string(size, 'r'));
        } else {
          origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          for (std::size_t left = size; left > 0;) {
            const std::size_t part = std::min<std::size_t>(left, 1 + world.random() % 5'000);
            char line[32];
            std::snprintf(line, sizeof line, "%zx\r\n", part);
            origin.send(line + std::string(part, 'r') + "\r\n");
            left -= part;
          }
          origin.send("0\r\n\r\n");
        }
      }
    };
  });
}

// Takes one response off the front of `bytes`: its body, de-chunked; nothing while it is not complete.
std::optional<std::string> take_response(std::string& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::string head = bytes.substr(0, end + 4);
  std::string body;
  std::size_t at = head.size();
  if (const std::size_t length = head.find("content-length: "); length != std::string::npos) {
    const std::size_t size = std::stoul(head.substr(length + 16));
    if (bytes.size() < at + size) return std::nullopt;
    body = bytes.substr(at, size);
    at += size;
  } else {
    for (;;) {
      const std::size_t line = bytes.find("\r\n", at);
      if (line == std::string::npos) return std::nullopt;
      const std::size_t size = std::stoul(bytes.substr(at, line - at), nullptr, 16);
      if (bytes.size() < line + 2 + size + 2) return std::nullopt;
      body += bytes.substr(line + 2, size);
      at = line + 2 + size + 2;
      if (size == 0) break;
    }
  }
  bytes.erase(0, at);
  return body;
}

TEST_CASE("every response arrives whole and in order, whatever the network does") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    World world(seed, setup_for(abi::Mode::http));
    serve_sizes(world);
    struct Client {
      io::SimPeer* peer;
      std::vector<std::size_t> wanted;  // sizes; ~0: a POST
      std::string bytes;
      std::size_t answered = 0;
    };
    std::vector<Client> clients(3);
    for (Client& client : clients) {
      client.peer = &world.simulation.connect_to(world.front);
      std::string requests;
      for (int i = 0; i < 4; ++i) {
        const bool post = world.random() % 4 == 0;
        const std::size_t size = world.random() % 60'000;
        client.wanted.push_back(post ? ~std::size_t{0} : size);
        requests += post ? "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
                               std::string(size, 'p')
                         : "GET /" + std::to_string(size) + " HTTP/1.1\r\nHost: x\r\n\r\n";
      }
      client.peer->send(requests);
    }
    const bool all = world.run_until([&] {
      bool done = true;
      for (Client& client : clients) {
        client.bytes += client.peer->take();
        while (client.answered < client.wanted.size()) {
          const std::optional<std::string> body = take_response(client.bytes);
          if (!body) break;
          const std::size_t size = client.wanted[client.answered++];
          CHECK(*body == (size == ~std::size_t{0} ? "sound" : std::string(size, 'r')));
        }
        done = done && client.answered == client.wanted.size();
      }
      return done;
    });
    CHECK(all);
    world.finish();
    if (!all) break;
  }
}

TEST_CASE("resets at any moment leave nothing behind") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    World world(seed, setup_for(abi::Mode::http));
    world.simulation.serve(origin_address(), [&world](io::SimPeer& peer) {
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + std::string(50'000, 'r'), world.random() % 20);
      switch (world.random() % 4) {
        case 0: peer.reset(world.random() % 40); break;
        case 1: peer.finish(world.random() % 40); break;
        default: break;
      }
    });
    for (int i = 0; i < 5; ++i) {
      io::SimPeer& client = world.simulation.connect_to(world.front, world.random() % 30);
      client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" +
                  std::string(world.random() % 30'001, 'p'));
      switch (world.random() % 3) {
        case 0: client.reset(world.random() % 60); break;
        case 1: client.finish(world.random() % 60); break;
        default: break;
      }
    }
    int turns = 0;
    world.run_until([&] { return ++turns > 400; });
    world.finish();
  }
}

TEST_CASE("a tunnel loses nothing and ends when both sides have") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    World world(seed, setup_for(abi::Mode::tcp));
    io::SimPeer* origin = nullptr;
    world.simulation.serve(origin_address(), [&](io::SimPeer& peer) {
      origin = &peer;
      peer.send(std::string(70'000, 'd'));
      peer.on_event = [](io::SimPeer& server) {
        if (server.ended()) server.finish();
      };
    });
    io::SimPeer& client = world.simulation.connect_to(world.front);
    client.send(std::string(90'000, 'u'));
    client.finish();
    CHECK(world.run_until([&] { return client.ended() && world.worker->core.session_count == 0; }));
    CHECK(client.received() == std::string(70'000, 'd'));
    CHECK(origin->received() == std::string(90'000, 'u'));
    world.finish();
  }
}

}  // namespace
}  // namespace hawser::proxy::test
