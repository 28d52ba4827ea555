// TCP mode: bytes both ways, half-closed connections, timeouts.
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

TEST_CASE("bytes flow both ways, also when one side has finished") {
  Origin origin([](Wire& wire, int) {
    wire.send("hi");
    const std::string all = wire.read_all();
    wire.send("you said " + all);
  });
  Running proxy(Setup::tcp({at(origin)}));
  Wire client = proxy.connect();
  CHECK(client.read(2) == "hi");
  client.send("data");
  client.finish();
  CHECK(client.read_all() == "you said data");
  CHECK(proxy.eventually([&] { return proxy.worker().sessions() == 0; }));
}

TEST_CASE("a tunnel carries megabytes both ways at once") {
  constexpr std::size_t kBytes = 5'000'000;
  Origin origin([](Wire& wire, int) {
    std::size_t left = kBytes;
    while (left > 0) {
      const std::string block = wire.read(std::min<std::size_t>(left, 50'000));
      left -= block.size();
      wire.send(block);
    }
  });
  Running proxy(Setup::tcp({at(origin)}));
  Wire client = proxy.connect();
  std::thread writer([&] { client.send(std::string(kBytes, 'z')); });
  Wire& reader = client;
  const std::string echoed = reader.read(kBytes);
  writer.join();
  CHECK(echoed == std::string(kBytes, 'z'));
}

TEST_CASE("a refused connection closes the client's after the retries") {
  Setup setup = Setup::tcp({{.name = "dead", .port = dead_port()}});
  setup.back().row.retries = 1;
  setup.back().row.timeouts.connect = 20;
  Running proxy(setup);
  Wire client = proxy.connect();
  CHECK(client.read_all() == "");
}

TEST_CASE("a silent tunnel ends with timeout server") {
  Origin origin([](Wire& wire, int) { wire.read_all(); });
  Setup setup = Setup::tcp({at(origin)});
  setup.back().row.timeouts.server = 30;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send("x");
  CHECK(client.read_all() == "");
}

TEST_CASE("a reset by one side ends the other") {
  Origin origin([](Wire& wire, int) {
    wire.read(1);
    wire.reset();
  });
  Running proxy(Setup::tcp({at(origin)}));
  Wire client = proxy.connect();
  client.send("x");
  client.read_all();
  CHECK(proxy.eventually([&] { return proxy.worker().sessions() == 0; }));
}

}  // namespace
}  // namespace hawser::proxy::test
