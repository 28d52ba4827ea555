// From configuration text to what a run does: rules in order, conditions, formats, replies, choices of a backend.
#include <doctest/doctest.h>

#include "compiler/ir/verify.h"
#include "runtime/abi/program.h"
#include "tests/support/compile_text.h"
#include "tests/support/world.h"

namespace hawser::compiler {
namespace {

using abi::EntryPoint;
using exec::Outcome;
using Values = std::vector<std::string_view>;
using test::World;

Outcome run(const test::Running& running, World& world, std::uint32_t proxy, EntryPoint point) {
  exec::Subject subject = world.subject();
  subject.installed = running.installed.get();
  const abi::Entry& entry = running.engine->entry(proxy, point);
  Outcome outcome = running.engine->run(entry, world.worker, subject, world.frame, 0);
  while (outcome.kind == Outcome::Kind::suspend || outcome.kind == Outcome::Kind::need) {
    world.worker.text = "left by another exchange";
    outcome = running.engine->run(entry, world.worker, subject, world.frame, world.frame.resume);
  }
  return outcome;
}

#define REQUIRE_RUNS(running)                               \
  do {                                                      \
    if (!(running).wrong.empty()) MESSAGE((running).wrong); \
    REQUIRE((running).wrong.empty());                       \
  } while (false)

TEST_CASE("whatever rulesets a proxy has, their functions stand in the order of entry points") {
  const auto text = test::compile_text(test::http_config(
      "frontend f\n  bind :80\n  log 127.0.0.1:514 local0\n  option httplog\n"
      "  tcp-request connection accept\n  tcp-request session accept\n"
      "  tcp-request content accept\n  http-request allow\n"
      "  http-response allow\n  use_backend b if TRUE\n"
      "backend b\n  tcp-response content accept\n  http-response allow\n  tcp-request content accept\n"));
  CAPTURE(text->messages);
  REQUIRE(text->ok());
  CHECK(ir::verify(lower(*text->compiled.config)) == "");
}

TEST_CASE("rules run in order until a final one") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-request set-header x one\n"
                        "  http-request add-header x two if { path /a/b }\n"
                        "  http-request add-header x three if { path /other }\n"
                        "  http-request allow if { method GET }\n"
                        "  http-request add-header x four\n"));
  REQUIRE_RUNS(running);
  World world;
  world.add("X", "zero");
  CHECK(run(running, world, 0, EntryPoint::http_request).kind == Outcome::Kind::stop);
  CHECK(World::values(world.request, "x") == Values{"one", "two"});
}

TEST_CASE("unless, negation, conjunction and disjunction") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  acl a path_beg /a\n"
                        "  acl a path_beg /A\n"
                        "  acl g method GET\n"
                        "  http-request add-header x and if a g\n"
                        "  http-request add-header x or if { path /z } or g\n"
                        "  http-request add-header x not if !a\n"
                        "  http-request add-header x unless unless a\n"
                        "  http-request add-header x absent if !{ req.hdr(none) v }\n"
                        "  http-request add-header x mixed if !g || a !{ method POST }\n"));
  REQUIRE_RUNS(running);
  World world;
  run(running, world, 0, EntryPoint::http_request);
  CHECK(World::values(world.request, "x") == Values{"and", "or", "absent", "mixed"});
  World other;
  other.set_request("POST", "/z");
  run(running, other, 0, EntryPoint::http_request);
  CHECK(World::values(other.request, "x") == Values{"or", "not", "unless", "absent", "mixed"});
}

TEST_CASE("a format's value may not end its field, and what is absent is nothing") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-request set-header x \"<%[req.hdr(in),url_dec]|%[req.hdr(none)]|%ci:%cp|%[src]>\"\n"));
  REQUIRE_RUNS(running);
  World world;
  world.add("in", "a%0d%0ab%09c");
  run(running, world, 0, EntryPoint::http_request);
  CHECK(World::values(world.request, "x") == Values{"<a%0D%0Ab\tc||192.0.2.1:40000|192.0.2.1>"});
}

TEST_CASE("variables keep their types and their scopes") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-request set-var(txn.n) req.hdr_cnt(in),add(1)\n"
                        "  http-request set-var(sess.s) path\n"
                        "  http-request set-var(proc.p) src\n"
                        "  http-request set-header x %[var(txn.n),add(txn.n)]-%[var(sess.s)]-%[var(proc.p)]\n"
                        "  http-request set-header y yes if { var(txn.n) -m int 2 }\n"));
  REQUIRE_RUNS(running);
  World world;
  world.add("in", "v");
  run(running, world, 0, EntryPoint::http_request);
  CHECK(World::values(world.request, "x") == Values{"4-/a/b-192.0.2.1"});
  CHECK(World::values(world.request, "y") == Values{"yes"});
  REQUIRE(world.txn.find("n") != nullptr);
  CHECK(world.txn.find("n")->type == abi::SampleType::sint);
  REQUIRE(world.session.variables.find("s") != nullptr);
  CHECK(world.session.variables.find("s")->view() == "/a/b");
}

TEST_CASE("fields of a response are edited in http-response, and hdr of a format means the response's") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-response set-header y %[status]-%[hdr(server)] if { res.hdr(server) -m found }\n"
                        "  http-response del-header server\n"
                        "  http-response del-header x- -m beg\n"));
  REQUIRE_RUNS(running);
  World world;
  world.response.add(world.arena, "Server", "s1");
  world.response.add(world.arena, "X-A", "1");
  world.response.add(world.arena, "ax-", "2");
  run(running, world, 0, EntryPoint::http_response);
  REQUIRE(World::values(world.response, "y").size() == 1);
  CHECK(World::values(world.response, "y")[0] == "200-s1");
  CHECK(World::values(world.response, "server").empty());
  CHECK(World::values(world.response, "x-a").empty());
  CHECK(World::values(world.response, "ax-") == Values{"2"});
  CHECK(World::values(world.request, "y").empty());
}

TEST_CASE("a backend is chosen by name, and an unknown name ends the choice") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  use_backend two if { path /two }\n"
                        "  use_backend %[req.hdr(be)] if { req.hdr(be) -m found }\n"
                        "  use_backend two\n"
                        "  default_backend one\n"
                        "backend one\nbackend two\n"));
  REQUIRE_RUNS(running);
  const auto chosen = [&](const char* path, const char* name) {
    World world;
    world.set_request("GET", path);
    if (name != nullptr) world.add("be", name);
    CHECK(run(running, world, 0, EntryPoint::choose_backend).kind == Outcome::Kind::next);
    return world.frame.backend;
  };
  CHECK(chosen("/two", "one") == 2);
  CHECK(chosen("/", "one") == 1);
  CHECK(chosen("/", "unknown") == -1);
  CHECK(chosen("/", nullptr) == 2);
}

TEST_CASE("replies: of deny, of return with computed parts") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-request deny if { path /deny }\n"
                        "  http-request deny deny_status 429 if { path /many }\n"
                        "  http-request return status 200 content-type text/plain lf-string \"m=%[method]\" hdr x-a "
                        "%[path] hdr x-b c if { path /return }\n"
                        "  http-response deny\n"));
  REQUIRE_RUNS(running);
  const auto replies = running.installed->image().rows(running.installed->plan().replies);
  const auto reply_of = [&](const char* path, World& world, EntryPoint point) -> const abi::Reply& {
    world.set_request("GET", path);
    const Outcome outcome = run(running, world, 0, point);
    REQUIRE(outcome.kind == Outcome::Kind::reply);
    return replies[outcome.index];
  };
  World world;
  CHECK(reply_of("/deny", world, EntryPoint::http_request).status == 403);
  CHECK(reply_of("/deny", world, EntryPoint::http_request).error_page);
  CHECK(reply_of("/many", world, EntryPoint::http_request).status == 429);
  CHECK(reply_of("/", world, EntryPoint::http_response).status == 502);
  const abi::Reply& computed = reply_of("/return", world, EntryPoint::http_request);
  CHECK(computed.computed);
  CHECK(world.frame.body == "m=GET");
  CHECK(world.frame.field_values == Values{"/return", "c"});
  CHECK(running.installed->image().rows(computed.field_names).size() == 2);
}

TEST_CASE("locations of redirections") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  http-request redirect prefix http://h drop-query append-slash if { path /p }\n"
                        "  http-request redirect scheme https code 301 if { path_beg /s }\n"
                        "  http-request redirect location /to/%[path]\n"));
  REQUIRE_RUNS(running);
  const auto location = [&](const char* target) {
    World world;
    world.set_request("GET", target);
    world.add("host", "h.example:8080");
    const Outcome outcome = run(running, world, 0, EntryPoint::http_request);
    REQUIRE(outcome.kind == Outcome::Kind::reply);
    CHECK(outcome.redirect);
    return std::string(world.frame.location);
  };
  CHECK(location("/p?q") == "http://h/p/");
  CHECK(location("/s?q=1") == "https://h.example:8080/s?q=1");
  CHECK(location("/x") == "/to//x");
}

TEST_CASE("a log format collapses blanks and writes what is absent as '-'") {
  test::Running running(
      test::http_config("frontend f\n  bind :80\n"
                        "  log-format \"%ci  %hr %HM %[var(txn.none)] %{+Q}[var(txn.none)] %{+Q}r %ST %tsc\"\n"));
  REQUIRE_RUNS(running);
  World world;
  world.exchange.request_line = "GET /\"\x01 HTTP/1.1";
  world.exchange.method = "GET";
  world.exchange.status = 200;
  run(running, world, 0, EntryPoint::log);
  CHECK(world.frame.line == "192.0.2.1 GET - \"\" \"GET /#22#01 HTTP/1.1\" 200 ----");
}

TEST_CASE("rulesets of one shape share one function, whatever their constants are") {
  test::Running running(
      test::http_config("frontend a\n  bind :80\n  use_backend b if { hdr(host) -i one }\n"
                        "frontend c\n  bind :81\n  use_backend d if { hdr(host) -i two three }\n"
                        "frontend e\n  bind :82\n  use_backend d if { path /x }\n"
                        "backend b\nbackend d\n"));
  REQUIRE_RUNS(running);
  const auto function = [&](std::uint32_t proxy) {
    return running.engine->entry(proxy, EntryPoint::choose_backend).function;
  };
  CHECK(function(0) == function(1));
  CHECK(function(0) != function(2));
  World world;
  world.add("host", "THREE");
  run(running, world, 1, EntryPoint::choose_backend);
  CHECK(world.frame.backend == 4);
}

// Everything that generated programs are made of, in one section.
constexpr const char* kEverything =
    "frontend f\n  bind :80\n"
    "  acl list req.hdr(x-list) -i B\n"
    "  acl list req.hdr(x-other) c d\n"
    "  http-request set-var(txn.v) req.hdr(x-list),concat(<,txn.none,>)\n"
    "  http-request set-header a \"%[var(txn.v),upper] %ci %[req.hdr(none)]-%[req.hdr_cnt(x-list),add(2)]\" if list or "
    "{ path /none }\n"
    "  http-request add-header b %[path,field(2,/)] unless { hdr_ip(x-ip) 192.0.2.0/24 } list\n"
    "  http-request del-header x-d -m beg if { url_param(q) 1 2 } !{ cook(c) -m found }\n"
    "  http-request return status 200 content-type text/plain lf-string \"%[method]%[var(txn.v)]\" hdr h %[path] if { "
    "method POST }\n"
    "  http-request redirect prefix https://%[req.hdr(host)] if { path_end .php }\n"
    "  http-response set-header s %[status,add(1)] if { res.hdr(server) -m beg s }\n"
    "  log-format \"%ci %{+Q}r %[var(txn.v)] %tsc\"\n"
    "  use_backend %[req.hdr(be)] if { req.hdr(be) -m len gt 0 }\n"
    "  use_backend two if list\n"
    "backend one\nbackend two\n";

struct Seen {
  Outcome outcome;
  std::string everything;
  friend bool operator==(const Seen& a, const Seen& b) {
    return a.outcome.kind == b.outcome.kind && a.outcome.index == b.outcome.index && a.everything == b.everything;
  }
};

Seen see(const test::Running& running, const char* method, const char* target, EntryPoint point) {
  World world;
  world.set_request(method, target);
  world.add("host", "h.example");
  world.add("x-list", "a, b");
  world.add("x-ip", "none, 192.0.2.9");
  world.add("x-d-1", "1");
  world.add("be", "one");
  world.exchange.request_line = "GET / HTTP/1.1";
  world.response.add(world.arena, "server", "s");
  Seen seen{run(running, world, 0, point), {}};
  for (const http::Head* head : {&world.request, &world.response}) {
    for (const http::Field& field : head->fields) {
      if (!field.removed) seen.everything += std::string(field.name) + "=" + std::string(field.value) + "\n";
    }
  }
  seen.everything += std::string(world.frame.location) + "|" + std::string(world.frame.body) + "|" +
                     std::string(world.frame.line) + "|" + std::to_string(world.frame.backend);
  for (const std::string_view value : world.frame.field_values) seen.everything += "|" + std::string(value);
  return seen;
}

TEST_CASE("a program that is suspended before every step does what it does without") {
  test::Running plain(test::http_config(kEverything));
  test::Running suspended(test::http_config(kEverything), {.suspend_everywhere = true});
  REQUIRE_RUNS(plain);
  REQUIRE_RUNS(suspended);
  CHECK(suspended.engine->program().steps.count >= 2 * plain.engine->program().steps.count);
  for (const EntryPoint point :
       {EntryPoint::http_request, EntryPoint::choose_backend, EntryPoint::http_response, EntryPoint::log}) {
    for (const char* method : {"GET", "POST"}) {
      for (const char* target : {"/", "/a/b?q=2", "/x.php?q=1", "/none"}) {
        CAPTURE(target);
        CHECK(see(plain, method, target, point) == see(suspended, method, target, point));
      }
    }
  }
}

}  // namespace
}  // namespace hawser::compiler
