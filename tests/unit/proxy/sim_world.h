// A worker on the simulated ring, without a thread, and the world around it.
#pragma once

#include <random>

#include "runtime/io/sim_network.h"
#include "runtime/io/sim_ring.h"
#include "runtime/proxy/core.h"
#include "runtime/proxy/listening.h"
#include "runtime/proxy/session.h"
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {

// `Worker` without a thread.
struct SimWorker {
  SimWorker(Generation& generation, io::Simulation& simulation) : core(generation, 0, 1), all{&peer} {
    core.start(simulation.make_ring());
    listening = std::make_unique<Listening>(core, peer, all);
    peer.ring = core.ring.get();
    listening->start();
  }
  ~SimWorker() { peer.ring = nullptr; }
  void turn() {
    core.turn(-1);
    listening->end_of_turn();
    core.end_of_turn();
  }
  void stop() {
    core.draining = true;
    listening->stop();
    core.idle->clear();
    while (core.sessions != nullptr) core.sessions->stop();
  }
  io::SimRing& ring() { return static_cast<io::SimRing&>(*core.ring); }

  Peer peer;
  Core core;
  std::vector<Peer*> all;
  std::unique_ptr<Listening> listening;
};

struct World {
  World(std::uint64_t seed, const Setup& setup) : simulation({.seed = seed}), state(1), random(seed) {
    generation = make_generation(setup, state);
    front = simulation.listen(SocketAddress::ip(IpAddress::v4(0x7f000001), 80));
    generation->listeners.push_back(front);
    auto gauges = std::make_unique<Gauges>();
    gauges->frontends = std::make_unique<Gauge[]>(setup.proxies.size());
    gauges->listeners = std::make_unique<Gauge[]>(1);
    gauges->frontend_sessions = std::make_unique<Rate[]>(setup.proxies.size());
    generation->gauges = std::move(gauges);
    worker = std::make_unique<SimWorker>(*generation, simulation);
  }
  template <class Condition>
  bool run_until(Condition condition) {
    for (int i = 0; i < 50'000 && !condition(); ++i) {
      worker->turn();
      if (!simulation.step()) break;
    }
    return condition();
  }
  // Ends everything and counts what is left.
  void finish() {
    worker->stop();
    run_until([&] { return worker->core.all_gone() && worker->listening->quiet(); });
    CHECK(worker->core.all_gone());
    worker->turn();
    CHECK(worker->ring().buffers_out() == 0);
    CHECK(simulation.open_descriptors() == 1);  // the listener
  }
  io::Simulation simulation;
  tables::State state;
  std::mt19937_64 random;
  std::unique_ptr<Generation> generation;
  io::Descriptor front = -1;
  std::unique_ptr<SimWorker> worker;
};

}  // namespace hawser::proxy::test
