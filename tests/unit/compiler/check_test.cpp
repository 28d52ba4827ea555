// What the checks leave behind in the model; their messages are compared in tests/golden.
#include <doctest/doctest.h>

#include <string>

#include "compiler/driver/compile.h"

namespace hawser::compiler {
namespace {

struct Checked {
  grammar::Sources sources;
  grammar::Diagnostics diagnostics{sources};
  model::Config config;

  explicit Checked(std::string text) {
    const grammar::FileId file = sources.add("test.cfg", std::move(text));
    grammar::Environment environment;
    config = read_and_check({file}, sources, environment, {}, diagnostics);
  }
  const model::Proxy& proxy(std::uint32_t at) const { return config.proxies[model::ProxyId(at)]; }
  std::size_t warnings(std::string_view part) const {
    std::size_t count = 0;
    for (const grammar::Diagnostic& one : diagnostics.all()) {
      count += one.level == grammar::Level::warning && one.text.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }
};

TEST_CASE("default_backend finds the backend, not the frontend of the same name") {
  const Checked checked("defaults\ntimeout client 1s\nfrontend app\nbind :8001\ndefault_backend app\nbackend app\n");
  CHECK(!checked.diagnostics.has_fatal());
  REQUIRE(checked.proxy(1).default_backend_id.has_value());
  CHECK(checked.proxy(1).default_backend_id->index == 2);
}

TEST_CASE("use_backend is resolved rule by rule, and a computed one is left to run time") {
  const Checked checked(
      "defaults\nmode http\ntimeout client 1s\nfrontend web\nbind :8001\nuse_backend b if { path / }\n"
      "use_backend %[path] if { path /x }\nbackend a\nbackend b\n");
  CHECK(!checked.diagnostics.has_fatal());
  const auto& rules = checked.proxy(1).backend_rules;
  REQUIRE(rules.size() == 2);
  REQUIRE(rules[0].backend.has_value());
  CHECK(rules[0].backend->index == 3);
  CHECK(!rules[1].backend.has_value());
  CHECK(rules[1].dynamic.has_value());
}

TEST_CASE("a log format is parsed in the mode that the section ends with") {
  const Checked late_http(
      "frontend web\noption httplog\nlog 127.0.0.1 local0\nbind :8001\ntimeout client 1s\nmode http\n");
  CHECK(!late_http.diagnostics.has_warning());
  CHECK(*late_http.proxy(0).log_style == model::Proxy::LogStyle::httplog);
  CHECK(late_http.proxy(0).log_format.is_set());
  const Checked late_tcp(
      "defaults\nmode http\noption httplog\nlog 127.0.0.1 local0\nfrontend web\nbind :8001\n"
      "timeout client 1s\nmode tcp\n");
  CHECK(late_tcp.warnings("not usable with frontend 'web'") == 1);
  CHECK(*late_tcp.proxy(1).log_style == model::Proxy::LogStyle::tcplog);
}

TEST_CASE("half of the buffer is the most that is kept free for rewriting") {
  CHECK(*Checked("global\ntune.bufsize 20000\ntune.maxrewrite 15000\n").config.global.rewrite_bytes == 10000);
  CHECK(*Checked("global\ntune.bufsize 1000\n").config.global.rewrite_bytes == 500);
  CHECK(!Checked("global\ntune.bufsize 20000\n").config.global.rewrite_bytes.is_set());
}

TEST_CASE("missing timeouts are warned of once a proxy, and only where traffic needs them") {
  CHECK(Checked("frontend web\nbind :8001\n").warnings("missing timeouts") == 1);
  CHECK(Checked("frontend web\nbind :8001\ntimeout client 0\n").warnings("missing timeouts") == 1);
  CHECK(Checked("backend app\n").warnings("missing timeouts") == 0);
  CHECK(Checked("backend app\nserver s 192.0.2.1:80\ntimeout server 1s\n").warnings("missing timeouts") == 1);
  CHECK(Checked("listen both\nbind :8001\ntimeout client 1s\n").warnings("missing timeouts") == 0);
  CHECK(Checked("frontend web\nbind :8001\ndisabled\n").warnings("missing timeouts") == 0);
}

TEST_CASE("the rules of a named defaults section run before the proxy's own") {
  const Checked checked(
      "defaults base\nmode http\ntimeout client 1s\nacl x src 192.0.2.1\nhttp-request deny if x\n"
      "frontend web from base\nbind :8001\nhttp-request set-header a b\n");
  CHECK(!checked.diagnostics.has_fatal());
  const auto& rules = checked.proxy(1).rules[static_cast<std::size_t>(model::Ruleset::http_request)];
  REQUIRE(rules.size() == 2);
  CHECK(rules[0].action == abi::ActionId::deny);
  CHECK(rules[1].action == abi::ActionId::set_header);
  CHECK(checked.proxy(1).acls.empty());
}

}  // namespace
}  // namespace hawser::compiler
