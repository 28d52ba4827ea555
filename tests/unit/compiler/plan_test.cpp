// From configuration text to the Plan's rows.
#include <doctest/doctest.h>

#include "tests/support/compile_text.h"

namespace hawser::compiler {
namespace {

struct Planned {
  std::unique_ptr<test::CompiledText> text;
  abi::ImageView image;
  const abi::Plan* plan = nullptr;

  explicit Planned(const std::string& config, const Options& options = {}) : text(test::compile_text(config, options)) {
    if (!text->ok()) MESSAGE(text->messages);
    REQUIRE(text->ok());
    image = text->compiled.plan->view();
    REQUIRE(abi::verify_pair(image, text->compiled.program->view()) == "");
    plan = &image.root<abi::Plan>();
  }
  const abi::Proxy& proxy(std::size_t index) const { return image.rows(plan->proxies)[index]; }
};

TEST_CASE("a range of ports is several listeners, numbered in each proxy") {
  const Planned planned(
      test::http_config("frontend a\n  bind 127.0.0.1:8000-8002\n  bind :9000 name named id 2\n"
                        "frontend b\n  bind :9001\n"));
  const auto rows = planned.image.rows(planned.plan->listeners);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].address.port == 8000);
  CHECK(rows[2].address.port == 8002);
  CHECK(rows[0].id == 1);
  CHECK(rows[1].id == 3);
  CHECK(planned.image.text(rows[0].name) == "sock-1");
  CHECK(planned.image.text(rows[3].name) == "named");
  CHECK(rows[3].id == 2);
  CHECK(rows[4].proxy == 1);
  CHECK(rows[4].id == 1);
}

TEST_CASE("proxies are numbered behind the frontend of the command sockets") {
  const std::string text = test::http_config("frontend a\n  bind :80\nfrontend b\n  bind :81\n  id 2\nbackend c\n");
  const Planned with("global\n  stats socket /tmp/s\n" + text);
  CHECK(with.proxy(0).id == 3);
  CHECK(with.proxy(1).id == 2);
  CHECK(with.proxy(2).id == 5);
}

TEST_CASE("defaults sections are no rows, and backends are found behind them") {
  const Planned planned(test::http_config("frontend a\n  bind :80\n  default_backend c\n") +
                        test::http_config("backend b\nbackend c\n"));
  REQUIRE(planned.plan->proxies.count == 3);
  CHECK(planned.proxy(0).default_backend == 2);
  CHECK(planned.proxy(1).timeouts.connect == 1000);
}

TEST_CASE("log global stands for the global targets at its place") {
  const Planned planned("global\n  log 127.0.0.1:514 local0\n  log 127.0.0.2 local1 notice\n" +
                        test::http_config("frontend a\n  bind :80\n  log 127.0.0.3 local2\n  log global\n"));
  const auto logs = planned.image.rows(planned.proxy(0).logs);
  REQUIRE(logs.size() == 3);
  CHECK(logs[0].facility == 18);
  CHECK(logs[1].facility == 16);
  CHECK(logs[2].facility == 17);
  CHECK(logs[2].level_max == 5);
}

TEST_CASE("the later of two ways to end an exchange wins") {
  const Planned planned(test::http_config(
      "frontend a\n  bind :80\n  option httpclose\nfrontend b\n  bind :81\n  option http-server-close\n"
      "frontend c\n  bind :82\n"));
  CHECK(planned.proxy(0).connection_mode == abi::ConnectionMode::close);
  CHECK(planned.proxy(1).connection_mode == abi::ConnectionMode::server_close);
  CHECK(planned.proxy(2).connection_mode == abi::ConnectionMode::keep_alive);
}

TEST_CASE("a frontend's limit is its own, that of -N, or the process's") {
  const std::string text =
      "global\n  maxconn 500\n" + test::http_config("frontend a\n  bind :80\n  maxconn 7\nfrontend b\n  bind :81\n");
  const Planned planned(text);
  CHECK(planned.proxy(0).maxconn == 7);
  CHECK(planned.proxy(1).maxconn == 500);
  const Planned with_option(text, {.default_proxy_maxconn = 33});
  CHECK(with_option.proxy(0).maxconn == 7);
  CHECK(with_option.proxy(1).maxconn == 33);
}

TEST_CASE("servers keep their given ids and the others take free ones from a counter on") {
  const Planned planned(
      test::http_config("backend b\n  server one 127.0.0.1:1\n  server two 127.0.0.1:2 id 1 weight 5 disabled\n"
                        "  server three 127.0.0.1\n"));
  const auto servers = planned.image.rows(planned.proxy(0).servers);
  REQUIRE(servers.size() == 3);
  CHECK(servers[0].id == 2);
  CHECK(servers[1].id == 1);
  CHECK(servers[1].weight == 5);
  CHECK(servers[1].disabled);
  CHECK(servers[2].id == 4);
  CHECK_FALSE(servers[2].port_given);
}

TEST_CASE("both images can be shown as text") {
  const Planned planned(
      test::http_config("frontend a\n  bind :80\n  http-request set-header x %[path] if { method GET }\n"
                        "  default_backend b\nbackend b\n  server s 127.0.0.1:1\n"));
  const std::string plan = abi::dump_plan(planned.image);
  CHECK(plan.find("proxy 0 'a'") != std::string::npos);
  CHECK(plan.find("server 's' id=1 127.0.0.1:1") != std::string::npos);
  const std::string program = abi::dump(planned.text->compiled.program->view());
  CHECK(program.find("fetch r") != std::string::npos);
  CHECK(program.find("proxy 0 http_request: function 0") != std::string::npos);
}

}  // namespace
}  // namespace hawser::compiler
