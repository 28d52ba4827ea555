// Passes change no answer: random rules and requests, and every action that writes between two equal tests of every
// fetch, run with passes and without.
#include <doctest/doctest.h>

#include "runtime/abi/rows.h"
#include "tests/support/random_rules.h"
#include "tests/support/told.h"

namespace hawser::test {
namespace {

using abi::EntryPoint;

constexpr EntryPoint kPoints[] = {EntryPoint::http_request, EntryPoint::choose_backend, EntryPoint::http_response};

TEST_CASE("random rules answer the same with every pass, with all of them, and suspended everywhere") {
  for (unsigned seed = 1; seed <= 250; ++seed) {
    CAPTURE(seed);
    RandomRules rules(seed);
    const std::string text = rules.configuration();
    CAPTURE(text);
    const Running plain(text, {}, opt::PassSet::none());
    REQUIRE_MESSAGE(plain.wrong == "", plain.wrong);
    std::vector<std::unique_ptr<Running>> others;
    others.push_back(std::make_unique<Running>(text));
    others.push_back(std::make_unique<Running>(text, compiler::FinaliseOptions{.suspend_everywhere = true}));
    const std::string_view one = opt::passes()[seed % opt::passes().size()].name;
    CAPTURE(one);
    others.push_back(std::make_unique<Running>(text, compiler::FinaliseOptions{}, *opt::PassSet::parse(one)));
    for (const auto& other : others) REQUIRE_MESSAGE(other->wrong == "", other->wrong);
    for (unsigned request = 0; request < 12; ++request) {
      const unsigned message = rules.below(1u << 30);
      for (const EntryPoint point : kPoints) {
        const auto run = [&](const Running& running) {
          World world;
          RandomRules(message).fill(world);
          return told(running, world, 0, point);
        };
        const std::string expected = run(plain);
        CAPTURE(abi::name_of(point));
        CAPTURE(request);
        for (std::size_t at = 0; at < others.size(); ++at) {
          CAPTURE(at);
          CHECK(run(*others[at]) == expected);
        }
      }
    }
  }
}

// What actions.def says that an action writes, and lines of it that write what fetches look at.
struct Writer {
  abi::ActionId action;
  std::string_view writes;
  std::vector<std::string> lines;
};

std::vector<Writer> writers() {
  std::vector<Writer> all = {
#define ACTION(id, name, rulesets, final, writes, ...) {abi::ActionId::id, #writes, {}},
#include "runtime/abi/actions.def"
#undef ACTION
  };
  for (Writer& one : all) {
    switch (one.action) {
      case abi::ActionId::set_header: one.lines = {"set-header x new", "set-header cookie x=new"}; break;
      case abi::ActionId::add_header: one.lines = {"add-header x new", "add-header cookie x=new"}; break;
      case abi::ActionId::del_header: one.lines = {"del-header x", "del-header cookie"}; break;
      case abi::ActionId::set_var: one.lines = {"set-var(txn.v) str(new)"}; break;
      default: break;
    }
  }
  return all;
}

std::string call(abi::FetchId fetch) {
  std::string arguments;
  for (const abi::Param& param : abi::row(fetch).params) {
    if (param.optional && param.name != "name" && param.name != "text") break;
    if (!arguments.empty()) arguments += ',';
    switch (param.take) {
      case abi::Take::variable: arguments += "txn.v"; break;
      case abi::Take::integer:
      case abi::Take::boolean: arguments += "1"; break;
      default: arguments += "x"; break;
    }
  }
  return std::string(abi::name_of(fetch)) + (arguments.empty() ? "" : "(" + arguments + ")");
}

// The same rules before and behind the action: tests that are merged, a test alone, and the value.
std::string around(std::string_view ruleset, const std::string& fetch, const std::string& line) {
  std::string rules;
  const auto look = [&](char side) {
    for (const char* value : {"old a b c", "new d e", "5 1", "GET"}) {
      rules += fmt::format("  {} add-header log {}{} if {{ {} -m str {} }}\n", ruleset, side, *value, fetch, value);
    }
    rules += fmt::format("  {0} add-header log {1}found if {{ {2} -m found }}\n  {0} add-header log {1}%[{2}]\n",
                         ruleset, side, fetch);
  };
  look('<');
  if (!line.empty()) rules += fmt::format("  {} {}\n", ruleset, line);
  look('>');
  return http_config("frontend f\n  bind :80\n" + rules);
}

std::string seen(const Running& running, EntryPoint point) {
  World world;
  world.set_request("GET", "/old?x=old");
  for (const char* value : {"old, 5", "c"}) {
    world.add("x", value);
    world.response.add(world.arena, "x", value);
  }
  world.add("cookie", "x=old");
  world.txn.set("v", abi::Sample::text("old"), world.arena);
  return told(running, world, 0, point);
}

TEST_CASE("nothing that an action has written is taken from before it") {
  std::size_t differ = 0;
  for (const Writer& writer : writers()) {
    CAPTURE(abi::name_of(writer.action));
    if (writer.writes == "addresses") continue;  // those stand where there are no heads yet
    CHECK((writer.writes == "none") == writer.lines.empty());
    for (const std::string& line : writer.lines) {
      for (std::size_t at = 0; at < static_cast<std::size_t>(abi::FetchId::count_); ++at) {
        const auto fetch = static_cast<abi::FetchId>(at);
        for (const EntryPoint point : {EntryPoint::http_request, EntryPoint::http_response}) {
          if ((abi::row(fetch).available & abi::bit(point)) == 0) continue;
          const std::string ruleset = point == EntryPoint::http_request ? "http-request" : "http-response";
          const std::string text = around(ruleset, call(fetch), line);
          CAPTURE(text);
          const Running plain(text, {}, opt::PassSet::none());
          const Running improved(text);
          REQUIRE_MESSAGE(plain.wrong == "", plain.wrong);
          REQUIRE_MESSAGE(improved.wrong == "", improved.wrong);
          const std::string expected = seen(plain, point);
          CHECK(seen(improved, point) == expected);
          // The test tests something: what is seen behind the action is another thing for those that it writes.
          if (expected != seen(Running(around(ruleset, call(fetch), "")), point)) ++differ;
        }
      }
    }
  }
  CHECK(differ > 20);
}

}  // namespace
}  // namespace hawser::test
