// The evaluator by itself: three-valued conditions, the order of rules, and what its trace says.
#include "compiler/eval/evaluator.h"

#include <doctest/doctest.h>

#include "compiler/eval/conditions.h"
#include "tests/support/compile_text.h"
#include "tests/support/world.h"

namespace hawser::eval {
namespace {

using abi::EntryPoint;
using abi::Truth;
using exec::Outcome;

struct Rules {
  std::unique_ptr<test::CompiledText> text;
  test::World world;
  explicit Rules(const std::string& lines)
      : text(test::compile_text(test::http_config("frontend f\n  bind :80\n" + lines + "backend b\nbackend c\n"))) {
    INFO(text->messages);
    REQUIRE(text->ok());
  }
  const model::Config& config() const { return *text->compiled.config; }
  model::ProxyId frontend() const { return config().proxies_by_name.at("f").front(); }
  const model::Proxy& proxy() const { return config().proxies[frontend()]; }
  Evaluation run(EntryPoint point, Trace* trace = nullptr) {
    return Evaluator(config()).run(frontend(), point, world.subject(), world.worker, trace);
  }
  // Of the condition of the first use_backend line.
  Truth condition(EntryPoint point) {
    const Patterns patterns(config());
    const exec::Subject subject = world.subject();
    const Scope scope{config(), patterns, subject, world.worker, point};
    return holds(scope, *proxy().backend_rules.front().condition, nullptr);
  }
  void set_pending(std::string_view name) {
    abi::Sample sample = abi::Sample::sint(5);
    sample.pending = true;
    world.txn.set(name, sample, world.arena);
  }
};

TEST_CASE("where more data may come, a condition is unknown until something decides it") {
  struct Case {
    const char* condition;
    Truth waiting;
    Truth final;
  };
  // p is 5 so far, and may change.
  const Case cases[] = {
      {"if { var(txn.p) -m int 5 }", Truth::yes, Truth::yes},
      {"if { var(txn.p) -m int 6 }", Truth::unknown, Truth::no},
      {"unless { var(txn.p) -m int 6 }", Truth::unknown, Truth::yes},
      {"if !{ var(txn.p) -m int 6 }", Truth::unknown, Truth::no},
      {"if { var(txn.p) -m int 6 } { always_false }", Truth::no, Truth::no},
      {"if { var(txn.p) -m int 6 } { always_true }", Truth::unknown, Truth::no},
      {"if { always_false } or { var(txn.p) -m int 6 }", Truth::unknown, Truth::no},
      {"if { var(txn.p) -m int 6 } or { always_true }", Truth::yes, Truth::yes},
      {"if { var(txn.p),add(1) -m int 7 }", Truth::unknown, Truth::no},
  };
  for (const Case& one : cases) {
    Rules rules(std::string("  use_backend b ") + one.condition + "\n");
    rules.set_pending("p");
    INFO(one.condition);
    CHECK(rules.condition(EntryPoint::content) == one.waiting);
    CHECK(rules.condition(EntryPoint::http_request) == one.final);
  }
}

TEST_CASE("the first rule that applies chooses, whatever the order of the values") {
  Rules rules("  use_backend b if { req.hdr(x) 2 }\n  use_backend c if { req.hdr(x) 1 }\n");
  rules.world.add("x", "1, 2");
  const Evaluation end = rules.run(EntryPoint::choose_backend);
  REQUIRE(end.backend);
  CHECK(rules.config().proxies[*end.backend].name == "b");
  CHECK(end.rule == 0);
}

TEST_CASE("a backend that is named and does not exist ends the choice without one") {
  Rules rules("  use_backend %[req.hdr(x)] if { always_true }\n  use_backend c if { always_true }\n");
  rules.world.add("x", "none");
  CHECK_FALSE(rules.run(EntryPoint::choose_backend).backend);
}

TEST_CASE("the trace has every rule up to the end, the values that its terms saw, and the pattern that matched") {
  Rules rules(
      "  acl inside req.hdr(x) 7 8\n  acl inside src 192.0.2.0/24\n"
      "  http-request set-header y \"<%[src]>\" if !inside or { always_true }\n"
      "  http-request deny if inside { path_beg /z /a }\n"
      "  http-request set-header z 1\n");
  rules.world.add("x", "1, 9");
  Trace trace;
  CHECK(rules.run(EntryPoint::http_request, &trace).kind == Outcome::Kind::reply);
  REQUIRE(trace.rules.size() == 2);
  const TracedRule& first = trace.rules[0];
  CHECK(first.applies);
  CHECK(first.has_value);
  CHECK(first.value == "<192.0.2.1>");
  REQUIRE(first.terms.size() == 2);
  CHECK(first.terms[0].truth == Truth::no);
  REQUIRE(first.terms[0].tests.size() == 2);
  REQUIRE(first.terms[0].tests[0].values.size() == 2);
  CHECK(first.terms[0].tests[0].values[1].text == "9");
  CHECK(first.terms[0].tests[0].values[1].pattern == nullptr);
  REQUIRE(first.terms[0].tests[1].values.size() == 1);
  REQUIRE(first.terms[0].tests[1].values[0].pattern != nullptr);
  CHECK(first.terms[0].tests[1].values[0].pattern->text == "192.0.2.0/24");
  CHECK(first.terms[1].group == 1);
  const TracedRule& second = trace.rules[1];
  CHECK(second.applies);
  REQUIRE(second.terms.size() == 2);
  CHECK(second.terms[1].tests[0].values[0].text == "/a/b");
  CHECK(second.terms[1].tests[0].values[0].pattern->text == "/a");
}

TEST_CASE("a log line has one separator between its parts") {
  Rules rules("  log 127.0.0.1 local0\n  log-format \"  %hr  %ci %hs   %[var(txn.none)]  \"\n");
  CHECK(rules.run(EntryPoint::log).line == "192.0.2.1 - ");
}

}  // namespace
}  // namespace hawser::eval
