// Sessions, exchanges and links on simulated rings. Two workers in one thread serve clients that pipeline, pause and
// reset, from origins that answer late, in pieces, or break off; the seed chooses. Whatever happens, a client gets its own
// responses in order, and in the end nothing is held.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/io/sim_network.h"
#include "runtime/io/sim_ring.h"
#include "runtime/proxy/core.h"
#include "runtime/proxy/listening.h"
#include "runtime/proxy/session.h"
#include "runtime/proxy/worker.h"
#include "tests/unit/proxy/rig.h"

using namespace hawser;
using namespace hawser::proxy;

namespace {

constexpr std::uint16_t kGoodPort = 8001, kBadPort = 8002;

SocketAddress at_port(std::uint16_t port) { return SocketAddress::ip(*IpAddress::parse("127.0.0.1"), port); }

// A worker as a plain value: what Worker::run does, one turn at a time.
struct SimWorker {
  SimWorker(io::Simulation& simulation, Generation& generation, std::uint32_t index, std::uint32_t workers)
      : core(generation, index, workers) {
    core.start(simulation.make_ring({.entries = 16, .buffer_bytes = 256, .buffers = 8, .buffers_max = 256}));
    peer.ring.store(core.ring.get());
  }
  void listen(const std::vector<Peer*>& all) {
    listening = std::make_unique<Listening>(core, peer, all);
    listening->start();
  }
  void turn() {
    core.turn(1000);
    listening->end_of_turn();
    core.end_of_turn();
  }
  bool quiet() const { return core.all_gone() && listening->quiet(); }
  Peer peer;
  Core core;
  std::unique_ptr<Listening> listening;
};

// Answers each request with its path; now and then it hesitates, answers in pieces, or breaks off.
void run_origin(io::SimPeer& peer, std::mt19937_64& random, bool bad) {
  std::string& pending = *static_cast<std::string*>(peer.context);
  pending += peer.take();
  for (std::size_t end; (end = pending.find("\r\n\r\n")) != std::string::npos; pending.erase(0, end + 4)) {
    const std::size_t from = pending.find(' ') + 1;
    const std::string body = pending.substr(from, pending.find(' ', from) - from);
    const std::string response =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    const std::size_t cut = random() % response.size();
    if (bad && random() % 4 == 0) {
      peer.send(response.substr(0, cut));
      return random() % 2 == 0 ? peer.reset(random() % 3) : peer.finish(random() % 3);
    }
    peer.send(response.substr(0, cut), random() % 20);
    peer.send(response.substr(cut), random() % 20);
  }
  if (peer.ended()) peer.finish();
}

struct Client {
  io::SimPeer* peer = nullptr;
  std::vector<std::string> paths;
  bool resets = false;
};

// Every response is whole and belongs to the request at its place, or is an error that ends the matter.
void check_responses(const Client& client) {
  std::string_view left = client.peer->received();
  for (const std::string& path : client.paths) {
    if (left.empty()) return;  // closed in between
    const std::size_t head = left.find("\r\n\r\n");
    if (head == std::string_view::npos) return;  // broken off by the origin
    if (left.substr(9, 3) != "200") {
      const std::string_view status = left.substr(9, 3);
      CHECK((status == "502" || status == "503" || status == "504" || status == "408"));
      return;
    }
    const std::string_view body = left.substr(head + 4, path.size());
    CHECK(body == std::string_view(path).substr(0, body.size()));
    left.remove_prefix(std::min(left.size(), head + 4 + path.size()));
  }
  CHECK(left.empty());
}

std::string run(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  io::Simulation simulation({.seed = seed, .socket_bytes = 700});
  std::vector<std::unique_ptr<std::string>> memories;
  for (const std::uint16_t port : {kGoodPort, kBadPort}) {
    simulation.serve(at_port(port), [&, port](io::SimPeer& peer) {
      peer.context = memories.emplace_back(std::make_unique<std::string>()).get();
      peer.on_event = [&random, port](io::SimPeer& origin) { run_origin(origin, random, port == kBadPort); };
    });
  }
  tables::State state(2);
  auto generation = test::make_generation(
      test::Setup::http({{.name = "good", .port = kGoodPort}, {.name = "bad", .port = kBadPort}}), state);
  const int listener = simulation.listen(at_port(80));
  generation->listeners.push_back(listener);
  const Worker gauges(*generation, 0, 2);  // makes what workers share
  std::array<std::unique_ptr<SimWorker>, 2> workers;
  std::vector<Peer*> peers;
  for (std::uint32_t i = 0; i < 2; ++i) {
    workers[i] = std::make_unique<SimWorker>(simulation, *generation, i, 2);
    peers.push_back(&workers[i]->peer);
  }
  for (auto& worker : workers) worker->listen(peers);
  std::vector<Client> clients;
  for (int i = 0; i < 8; ++i) {
    Client client;
    client.peer = &simulation.connect_to(listener, random() % 10);
    client.resets = random() % 5 == 0;
    for (int requests = random() % 5; requests >= 0; --requests) {
      client.paths.push_back("/" + std::to_string(i) + "-" + std::to_string(requests) +
                             std::string(random() % 300, 'x'));
      client.peer->send("GET " + client.paths.back() + " HTTP/1.1\r\nHost: x\r\n\r\n", random() % 8);
    }
    if (client.resets) {
      client.peer->reset(random() % 40);
    } else {
      client.peer->finish(200);
    }
    clients.push_back(client);
  }
  const auto turn_until = [&](const auto& condition) {
    for (int rounds = 0; rounds < 30'000 && !condition(); ++rounds) {
      for (auto& worker : workers) worker->turn();
      simulation.step();
    }
    return condition();
  };
  CHECK(turn_until([&] {
    for (const Client& client : clients) {
      if (!client.resets && !client.peer->ended()) return false;
    }
    return workers[0]->core.sessions == nullptr && workers[1]->core.sessions == nullptr;
  }));
  std::string seen;
  for (const Client& client : clients) {
    if (!client.resets) check_responses(client);
    seen += client.peer->received();
  }
  for (auto& worker : workers) {
    worker->core.draining = true;
    worker->listening->stop();
    worker->core.idle->clear();
  }
  CHECK(turn_until([&] { return workers[0]->quiet() && workers[1]->quiet(); }));
  for (auto& worker : workers) {
    worker->core.ring->turn(0);
    CHECK(static_cast<io::SimRing&>(*worker->core.ring).buffers_out() == 0);
  }
  CHECK(simulation.open_descriptors() == 1);  // the listener
  for (auto& worker : workers) {
    worker->peer.ring.store(nullptr);
    worker->listening.reset();
  }
  return seen + std::to_string(simulation.now().monotonic_us);
}

}  // namespace

TEST_CASE("clients get their own responses in order, and nothing is held in the end, whatever the seed") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    run(seed);
  }
}

TEST_CASE("two workers on simulated rings do the same again with the same seed") { CHECK((run(7) == run(7))); }
