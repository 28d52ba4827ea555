// The command socket as a client sees it.
#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "runtime/admin/server.h"
#include "runtime/io/clock.h"

using namespace hawser;

namespace {

abi::Image small_plan() {
  abi::ImageBuilder builder;
  abi::Server servers[2];
  servers[0].name = builder.text("s");
  servers[0].id = 1;
  servers[0].address.family = abi::Address::Family::v4;
  servers[0].address.ip[0] = 127;
  servers[0].address.ip[3] = 1;
  servers[0].address.port = 80;
  servers[1] = servers[0];
  servers[1].name = builder.text("t");
  servers[1].id = 2;
  servers[1].weight = 5;
  servers[1].disabled = true;
  abi::Proxy proxies[2];
  proxies[0].name = builder.text("fe");
  proxies[0].id = 2;
  proxies[0].is_frontend = true;
  proxies[0].mode = abi::Mode::http;
  proxies[0].maxconn = 77;
  proxies[0].default_backend = 1;
  proxies[1].name = builder.text("b");
  proxies[1].id = 3;
  proxies[1].is_backend = true;
  proxies[1].mode = abi::Mode::http;
  proxies[1].servers = builder.rows(std::span<const abi::Server>(servers));
  abi::Plan plan;
  plan.proxies = builder.rows(std::span<const abi::Proxy>(proxies));
  return builder.finish(plan);
}

// A server with everything it needs, on a socket of its own, and its loop.
struct Fixture {
  explicit Fixture(admin::CommandServer::Options options = {}, abi::AccessLevel level = abi::AccessLevel::admin) {
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address.local.sun_family = AF_UNIX;
    address.size = sizeof(sa_family_t);  // the kernel chooses an abstract name
    REQUIRE(bind(listener, &address.any, address.size) == 0);
    address.size = sizeof address.storage;
    REQUIRE(getsockname(listener, &address.any, &address.size) == 0);
    REQUIRE(listen(listener, 16) == 0);
    facts.version = "3.4.0-test";
    facts.node = "here";
    facts.pid = 42;
    facts.maxconn = 100;
    facts.started_monotonic_s = io::Now::read().monotonic_us / 1'000'000;
    facts.dropped_logs = [] { return std::uint64_t{3}; };
    facts.stopping = [] { return false; };
    server = std::make_unique<admin::CommandServer>(*ring, timers, admin::Subject{installed, facts},
                                                    std::vector<admin::CommandListener>{{listener, level}}, options);
  }
  ~Fixture() {
    server.reset();
    close(listener);
  }

  int connect_client() const {
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(connect(client, &address.any, address.size) == 0);
    return client;
  }

  void turn() {
    ring->turn(timers.wait_ms(io::Now::read().ms(), 10));
    timers.advance(io::Now::read().ms());
  }

  // Turns until the client has been sent `end`, or its connection ended. Gives what it received.
  std::string receive_until(int client, std::string_view end) {
    std::string all;
    for (int turns = 0; turns < 5000; ++turns) {
      turn();
      pollfd ready{client, POLLIN, 0};
      if (poll(&ready, 1, 0) <= 0) continue;
      char piece[4096];
      const ssize_t size = recv(client, piece, sizeof piece, MSG_DONTWAIT);
      if (size <= 0) return all;
      all.append(piece, static_cast<std::size_t>(size));
      if (!end.empty() && all.ends_with(end)) return all;
    }
    FAIL("neither an answer nor an end");
    return all;
  }

  // A connection of its own for `bytes`: all that comes back up to its end.
  std::string ask(std::string_view bytes, bool half_close = false) {
    const int client = connect_client();
    REQUIRE(::send(client, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    if (half_close) shutdown(client, SHUT_WR);
    std::string answer = receive_until(client, "");
    close(client);
    return answer;
  }

  std::unique_ptr<io::Ring> ring = io::make_ring({}).value();
  io::Timers timers{io::Now::read().ms()};
  abi::Image plan = small_plan();
  tables::State state{2};
  tables::Installed installed{plan.view(), state};
  admin::Facts facts;
  SocketAddress address;
  int listener = -1;
  std::unique_ptr<admin::CommandServer> server;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The cell of a row under a column's name.
std::string cell(const std::string& header, const std::string& row, std::string_view name) {
  const auto split = [](std::string_view text) {
    std::vector<std::string> cells(1);
    for (const char byte : text) {
      if (byte == ',') {
        cells.emplace_back();
      } else {
        cells.back() += byte;
      }
    }
    return cells;
  };
  const auto names = split(std::string_view(header).substr(2));
  const auto at = std::find(names.begin(), names.end(), name);
  REQUIRE(at != names.end());
  return split(row)[static_cast<std::size_t>(at - names.begin())];
}

}  // namespace

TEST_CASE("an answer ends with an empty line, and the connection with the answer") {
  Fixture fixture;
  CHECK(fixture.ask("show version\n") == "3.4.0-test\n\n");
  CHECK(fixture.ask("show version;show version\n") == "3.4.0-test\n\n3.4.0-test\n\n");
}

TEST_CASE("a client that half-closes gets its answer all the same; half a line gets none") {
  Fixture fixture;
  CHECK(fixture.ask("show version\n", true) == "3.4.0-test\n\n");
  CHECK(fixture.ask("show version", true).empty());
  CHECK(fixture.ask("", true).empty());
}

TEST_CASE("a prompt keeps the connection until quit") {
  Fixture fixture;
  const int client = fixture.connect_client();
  send(client, "prompt\n", 7, 0);
  CHECK(fixture.receive_until(client, "> ") == "\n> ");
  send(client, "show version\n", 13, 0);
  CHECK(fixture.receive_until(client, "> ") == "3.4.0-test\n\n> ");
  send(client, "quit\n", 5, 0);
  CHECK(fixture.receive_until(client, "").empty());
  close(client);
}

TEST_CASE("an unknown command shows what is known") {
  Fixture fixture;
  const std::string answer = fixture.ask("show versio\n");
  CHECK(answer.starts_with("Unknown command, but maybe one of the following ones is a better match:\n"));
  CHECK(answer.find("\n  show version                            : ") != std::string::npos);
  CHECK(answer.ends_with("\n\n"));
  CHECK(fixture.ask("\n").starts_with("Unknown command. Please enter one of the following commands only:\n"));
  CHECK(fixture.ask("help\n").starts_with("The following commands are valid at this level:\n"));
}

TEST_CASE("what HAProxy knows and we do not carry out is refused by name") {
  Fixture fixture;
  CHECK(fixture.ask("set server b/s state ready\n") == "'set server' is not supported by hawser yet.\n\n");
  CHECK(fixture.ask("show stat desc\n") == "'show stat desc' is not supported by hawser yet.\n\n");
}

TEST_CASE("a level that is too low is told so before anything else") {
  Fixture fixture({}, abi::AccessLevel::user);
  CHECK(fixture.ask("set server b/s state ready\n") == "Permission denied\n\n");
  CHECK(fixture.ask("show version\n") == "3.4.0-test\n\n");
}

TEST_CASE("show info names the process and leaves out what is not measured") {
  Fixture fixture;
  fixture.state.process.of_worker(1).total.add(5);
  fixture.state.proxy("fe").frontend.of_worker(0).requests.add(8);
  const std::string answer = fixture.ask("show info\n");
  CHECK(answer.find("\nPid: 42\n") != std::string::npos);
  CHECK(answer.find("\nCumConns: 5\n") != std::string::npos);
  CHECK(answer.find("\nCumReq: 8\n") != std::string::npos);
  CHECK(answer.find("\nDroppedLogs: 3\n") != std::string::npos);
  CHECK(answer.find("Idle_pct") == std::string::npos);
  CHECK(answer.find("description") == std::string::npos);
  CHECK(fixture.ask("show info typed\n").find("\n6.Pid.1:SGP:u32:42\n") != std::string::npos);
}

TEST_CASE("show stat has a row for each frontend, server and backend") {
  Fixture fixture;
  fixture.state.proxy("fe").frontend.of_worker(0).total.add(3);
  fixture.state.proxy("fe").frontend.of_worker(1).total.add(4);
  const auto rows = lines_of(fixture.ask("show stat\n"));
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].starts_with("# pxname,svname,qcur,"));
  CHECK(rows[0].ends_with("h1_spliced_bytes_out,"));
  CHECK(rows[1].starts_with("fe,FRONTEND,"));
  CHECK(rows[2].starts_with("b,s,"));
  CHECK(rows[3].starts_with("b,t,"));
  CHECK(rows[4].starts_with("b,BACKEND,"));
  CHECK(rows[5].empty());
  for (const auto& row : rows) {
    if (!row.empty()) CHECK(std::count(row.begin(), row.end(), ',') == 128);
  }
  CHECK(cell(rows[0], rows[1], "stot") == "7");
  CHECK(cell(rows[0], rows[1], "slim") == "77");
  CHECK(cell(rows[0], rows[3], "status") == "MAINT");
  CHECK(cell(rows[0], rows[4], "slim") == "8");
  CHECK(cell(rows[0], rows[4], "act") == "1");
  CHECK(cell(rows[0], rows[2], "addr") == "127.0.0.1:80");
}

TEST_CASE("typed columns are numbered without the dash of the CSV") {
  Fixture fixture;
  CHECK(fixture.ask("show stat typed 2 1 -1\n") == "No such proxy.\n\n");
  CHECK(fixture.ask("show stat 2 1 -1 typed\n").find("F.2.0.103.ssl_sess.1:MCP:u64:0\n") != std::string::npos);
}

TEST_CASE("show stat chooses rows by proxy, kind and server") {
  Fixture fixture;
  CHECK(lines_of(fixture.ask("show stat b 4 2\n")).at(1).starts_with("b,t,"));
  CHECK(lines_of(fixture.ask("show stat -1 1 -1\n")).size() == 3);
  CHECK(lines_of(fixture.ask("show stat 3 2 -1\n")).at(1).starts_with("b,BACKEND,"));
  CHECK(fixture.ask("show stat nosuch 1 -1\n") == "No such proxy.\n\n");
  CHECK(lines_of(fixture.ask("show stat no-maint\n")).size() == 5);
}

TEST_CASE("more clients than allowed wait until one ends") {
  Fixture fixture({.connections_max = 1});
  const int first = fixture.connect_client();
  send(first, "prompt\n", 7, 0);
  CHECK(fixture.receive_until(first, "> ") == "\n> ");
  const int second = fixture.connect_client();
  send(second, "show version\n", 13, 0);
  for (int turns = 0; turns < 5; ++turns) fixture.turn();
  char byte;
  CHECK(recv(second, &byte, 1, MSG_DONTWAIT) == -1);
  close(first);
  CHECK(fixture.receive_until(second, "") == "3.4.0-test\n\n");
  close(second);
}

TEST_CASE("an idle client is disconnected") {
  Fixture fixture({.timeout_ms = 1});
  const int client = fixture.connect_client();
  CHECK(fixture.receive_until(client, "").empty());
  close(client);
}

TEST_CASE("a client may lower its level, and not raise it again") {
  Fixture fixture;
  CHECK(fixture.ask("show cli level\n") == "admin\n\n");
  CHECK(fixture.ask("operator;show cli level;user;show cli level\n") == "\noperator\n\n\nuser\n\n");
  CHECK(fixture.ask("user;operator\n") == "\nPermission denied\n\n");
}

TEST_CASE("a client chooses its timeout: in seconds, or with a unit") {
  Fixture fixture;
  for (const char* good : {"10", "10s", "1d", "999us", "3000000"}) {
    CHECK(fixture.ask(fmt::format("set timeout cli {}\n", good)) == "\n");
  }
  for (const char* bad : {"0", "abc", "1x", "5000000000"}) {
    CHECK(fixture.ask(fmt::format("set timeout cli {}\n", bad)) == "Invalid timeout value.\n\n");
  }
  CHECK(fixture.ask("set timeout cli\n") == "Expects an integer value.\n\n");
  CHECK(fixture.ask("set timeout client 1\n") == "'set timeout' only supports 'cli'.\n\n");
  const int client = fixture.connect_client();
  send(client, "prompt;set timeout cli 1ms\n", 27, 0);
  CHECK(fixture.receive_until(client, "").ends_with("\n> "));
  close(client);
}

TEST_CASE("process-wide variables are shown with their type") {
  Fixture fixture;
  fixture.state.variables.set("n", abi::Sample::sint(-12));
  fixture.state.variables.set("t", abi::Sample::text("hi"));
  fixture.state.variables.set("b", abi::Sample::boolean(true));
  CHECK(fixture.ask("get var proc.n\n") == "proc.n: type=sint value=<-12>\n");
  CHECK(fixture.ask("get var proc.t;get var proc.b\n") == "proc.t: type=str value=<hi>\nproc.b: type=bool value=<1>\n");
  CHECK(fixture.ask("get var proc.none\n") == "Variable not found.\n\n");
  CHECK(fixture.ask("get var txn.n\n") == "Variable not found.\n\n");
  CHECK(fixture.ask("get var\n") == "Missing process-wide variable identifier.\n\n");
}

TEST_CASE("clear counters forgets the highest counts; all, everything but what is there now") {
  Fixture fixture;
  tables::Counters& counters = fixture.state.proxy("fe").frontend.of_worker(0);
  counters.current.add(2);
  counters.current_max.raise_to(5);
  counters.total.add(7);
  counters.responses[2].add(3);
  const auto shown = [&](std::string_view column) {
    const auto rows = lines_of(fixture.ask("show stat fe 1 -1\n"));
    return cell(rows.at(0), rows.at(1), column);
  };
  CHECK(shown("smax") == "5");
  CHECK(fixture.ask("clear counters\n") == "\n");
  CHECK(shown("smax") == "0");
  CHECK(shown("stot") == "7");
  CHECK(fixture.ask("clear counters all\n") == "\n");
  CHECK(shown("stot") == "0");
  CHECK(shown("hrsp_2xx") == "0");
  CHECK(shown("scur") == "2");
  counters.total.add(1);
  CHECK(shown("stot") == "1");
  CHECK(fixture.ask("operator;clear counters all\n") == "\nPermission denied\n\n");
}

TEST_CASE("what the process holds is listed: backends and its environment") {
  Fixture fixture;
  CHECK(fixture.ask("show backend\n") == "# name\nb\n\n");
  setenv("HAWSER_TEST_VARIABLE", "a=b", 1);
  CHECK(fixture.ask("show env HAWSER_TEST_VARIABLE\n") == "HAWSER_TEST_VARIABLE=a=b\n\n");
  CHECK(fixture.ask("show env\n").find("HAWSER_TEST_VARIABLE=a=b\n") != std::string::npos);
  CHECK(fixture.ask("show env HAWSER_TEST\n") == "Variable not found\n\n");
}
