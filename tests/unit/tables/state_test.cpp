// Contract 5: what traffic has counted belongs to names, and outlives the plan that named them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/tables/state.h"

namespace hawser::tables {
namespace {

struct ServerLine {
  std::string name;
  std::uint32_t weight = 1;
};

abi::Image plan_of(const std::string& frontend, const std::string& backend, const std::vector<ServerLine>& servers) {
  abi::ImageBuilder builder;
  std::vector<abi::Server> rows;
  for (const ServerLine& line : servers) {
    abi::Server server;
    server.name = builder.text(line.name);
    server.weight = line.weight;
    server.address.family = abi::Address::Family::v4;
    server.address.ip[0] = 192;
    server.address.port = 80;
    rows.push_back(server);
  }
  std::vector<abi::Proxy> proxies(2);
  proxies[0].name = builder.text(frontend);
  proxies[0].is_frontend = true;
  proxies[1].name = builder.text(backend);
  proxies[1].is_backend = true;
  proxies[1].servers = builder.rows(rows);
  abi::Plan plan;
  plan.proxies = builder.rows(proxies);
  return builder.finish(plan);
}

TEST_CASE("counters of a name go on over a second plan, and those of a new name begin at 0") {
  State state(2);
  const abi::Image first = plan_of("web", "app", {{"one"}, {"two"}});
  Installed before(first.view(), state);
  before.proxies()[0].state->frontend.of_worker(0).requests.add(3);
  before.proxies()[0].state->frontend.of_worker(1).requests.add(4);
  before.proxies()[1].state->backend.of_worker(1).chosen.add(5);
  before.proxies()[1].servers[0].state->counters.of_worker(0).total.add(6);
  before.proxies()[1].servers[1].state->counters.of_worker(0).total.add(7);

  const abi::Image second = plan_of("web", "app", {{"renamed"}, {"two", 9}});
  const Installed after(second.view(), state);
  CHECK(after.proxies()[0].state->frontend.sum(&Counters::requests) == 7);
  CHECK(after.proxies()[1].state->backend.sum(&Counters::chosen) == 5);
  CHECK(after.proxies()[1].servers[0].state->counters.sum(&Counters::total) == 0);
  CHECK(after.proxies()[1].servers[1].state->counters.sum(&Counters::total) == 7);
  CHECK(after.proxies()[1].servers[1].state->weight == 9);

  const abi::Image third = plan_of("site", "app", {});
  const Installed renamed(third.view(), state);
  CHECK(renamed.proxies()[0].state->frontend.sum(&Counters::requests) == 0);
}

TEST_CASE("an old plan's rows still count while a new plan is installed") {
  State state(1);
  const abi::Image image = plan_of("web", "app", {{"one"}});
  Installed old(image.view(), state);
  Installed fresh(image.view(), state);
  old.proxies()[1].servers[0].state->counters.of_worker(0).total.add();
  fresh.proxies()[1].servers[0].state->counters.of_worker(0).total.add();
  CHECK(fresh.proxies()[1].servers[0].state->counters.sum(&Counters::total) == 2);
}

TEST_CASE("proxies are found by name and by what they can do") {
  State state(1);
  const abi::Image image = plan_of("web", "app", {});
  const Installed installed(image.view(), state);
  CHECK(installed.find_frontend("web") == 0);
  CHECK(installed.find_frontend("app") == -1);
  CHECK(installed.find_backend("app") == 1);
  CHECK(installed.find_backend("web") == -1);
}

TEST_CASE("a server named by a host name has the address that was looked up, with its own port") {
  State state(1);
  abi::ImageBuilder builder;
  std::vector<abi::Server> servers(2);
  servers[0].name = builder.text("numeric");
  servers[0].address.family = abi::Address::Family::v4;
  servers[0].address.ip[0] = 10;
  servers[0].address.port = 80;
  servers[1].name = builder.text("named");
  servers[1].host = builder.text("db.example");
  servers[1].address.port = 5432;
  std::vector<abi::Proxy> proxies(1);
  proxies[0].name = builder.text("app");
  proxies[0].is_backend = true;
  proxies[0].servers = builder.rows(servers);
  abi::Plan plan;
  plan.proxies = builder.rows(proxies);
  const abi::Image image = builder.finish(plan);
  Installed installed(image.view(), state);
  installed.set_resolved({*IpAddress::parse("192.0.2.7")});
  CHECK(installed.proxies()[0].servers[0].address.to_string() == "10.0.0.0:80");
  CHECK(installed.proxies()[0].servers[1].address.to_string() == "192.0.2.7:5432");
}

TEST_CASE("a process variable keeps its own copy of the bytes") {
  State state(1);
  Arena arena;
  std::string value = "first";
  state.variables.set("v", abi::Sample::text(value));
  value = "other";
  CHECK(state.variables.find("v", arena).view() == "first");
  state.variables.unset("v");
  CHECK(state.variables.find("v", arena).is_absent());
}

}  // namespace
}  // namespace hawser::tables
