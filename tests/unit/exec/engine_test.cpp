// The interpreter: control, three-valued conditions, resume points, texts.
#include <doctest/doctest.h>

#include "runtime/exec/run.h"
#include "tests/support/program_text.h"
#include "tests/support/world.h"

namespace hawser::exec {
namespace {

using abi::Op;
using Kind = abi::Constant::Kind;

constexpr auto id(abi::FetchId fetch) { return static_cast<std::uint16_t>(fetch); }
constexpr auto id(abi::ActionId action) { return static_cast<std::uint16_t>(action); }
constexpr auto id(abi::AliasId alias) { return static_cast<std::uint16_t>(alias); }
constexpr auto id(abi::Match match) { return static_cast<std::uint16_t>(match); }

// Keeps the image beside the engine that runs it.
struct Machine {
  abi::Image image;
  std::unique_ptr<Engine> engine;
  explicit Machine(test::ProgramText& text) : image(text.finish()) {
    auto made = Engine::make(image.view());
    if (!made.ok()) MESSAGE(made.error().message);
    REQUIRE(made.ok());
    engine = std::move(*made);
  }
  Outcome run(test::World& world, ResumePoint resume = 0, abi::EntryPoint point = abi::EntryPoint::http_request) {
    Subject subject = world.subject();
    return engine->run(engine->entry(0, point), world.worker, subject, world.frame, resume);
  }
};

TEST_CASE("a field that matches a set in any of its values makes the condition true") {
  test::ProgramText text;
  const auto args = text.arguments({text.text_constant("x-list", Kind::field), {}});
  const auto set = text.set(abi::Match::string, {"b"});
  const auto backend = text.constant(text.index_constant(Kind::backend, 0));
  text.step(Op::clear_condition)
      .step(Op::fetch, 0, id(abi::FetchId::req_hdr), args, 0, abi::fetch_every)
      .step(Op::test, 0, id(abi::Match::string), set)
      .step(Op::jump_if, 0, 2, abi::kNoConstant, 6)
      .step(Op::fetch_next, 0, id(abi::FetchId::req_hdr), args, 2, abi::fetch_every)
      .step(Op::stop)
      .step(Op::use_backend, 0, 0, backend);
  Machine machine(text);
  test::World world;
  CHECK(machine.run(world).kind == Outcome::Kind::stop);
  world.add("x-list", "a, b");
  world.add("x-list", "c");
  CHECK(machine.run(world).kind == Outcome::Kind::next);
  CHECK(world.frame.backend == 0);
  test::World other;
  other.add("x-list", "ab, a");
  CHECK(machine.run(other).kind == Outcome::Kind::stop);
}

TEST_CASE("a loop over the values of a fetch that always has the same one is refused") {
  for (const bool many : {true, false}) {
    test::ProgramText text;
    const auto args = many ? text.arguments({text.text_constant("x", Kind::field), {}}) : abi::kNoConstant;
    const abi::FetchId fetch = many ? abi::FetchId::req_hdr : abi::FetchId::src;
    text.step(Op::fetch, 0, id(abi::FetchId::req_hdr), text.arguments({text.text_constant("x", Kind::field), {}}))
        .step(Op::fetch_next, 0, id(fetch), args, 1, abi::fetch_every)
        .step(Op::next);
    const abi::Image image = text.finish();
    CHECK(abi::verify(image.view()) == (many ? "" : "src has no next value"));
  }
}

TEST_CASE("a set of expressions matches by any of them, and a broken one is refused") {
  test::ProgramText text;
  const auto args = text.arguments({text.text_constant("x-list", Kind::field), {}});
  const auto set = text.set(abi::Match::regex, {"^b[0-9]$", "c$"});
  text.step(Op::fetch, 0, id(abi::FetchId::req_fhdr), args)
      .step(Op::test, 0, id(abi::Match::regex), set)
      .step(Op::jump_if, 0, 2, abi::kNoConstant, 4)
      .step(Op::next)
      .step(Op::stop);
  Machine machine(text);
  for (const auto& [value, kind] : {std::pair{"b1", Outcome::Kind::stop}, std::pair{"abc", Outcome::Kind::stop},
                                    std::pair{"b12", Outcome::Kind::next}}) {
    test::World world;
    world.add("x-list", value);
    CHECK(machine.run(world).kind == kind);
  }
  test::ProgramText broken;
  broken.set(abi::Match::regex, {"a("});
  broken.step(Op::next);
  const abi::Image image = broken.finish();
  const auto made = Engine::make(image.view());
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find("missing closing parenthesis") != std::string::npos);
}

TEST_CASE("hdr_val takes the leading digits, and the nearest number that fits") {
  test::ProgramText text;
  const auto args = text.arguments({text.text_constant("n", Kind::field), {}});
  text.step(Op::text_begin)
      .step(Op::fetch, 0, id(abi::FetchId::hdr_val), args)
      .step(Op::text_sample, 0, 0)
      .step(Op::emit);
  Machine machine(text);
  for (const auto& [value, line] :
       {std::pair{"12ab", "12"}, std::pair{"1, -7", "-7"}, std::pair{"abc", "0"}, std::pair{"", "0"},
        std::pair{"4294967296", "4294967296"}, std::pair{"99999999999999999999", "9223372036854775807"}}) {
    test::World world;
    world.add("n", value);
    machine.run(world);
    CHECK(world.frame.line == line);
  }
}

TEST_CASE("without a number the last value of a field is fetched") {
  test::ProgramText text;
  const auto args = text.arguments({text.text_constant("x", Kind::field), {}});
  const auto name = text.field("y");
  text.step(Op::fetch, 0, id(abi::FetchId::req_hdr), args)
      .step(Op::act, 0, id(abi::ActionId::set_header), name)
      .step(Op::next);
  Machine machine(text);
  test::World world;
  world.add("x", "1, 2");
  world.add("x", "3,\"4,5\"");
  world.add("y", "old");
  machine.run(world);
  CHECK(test::World::values(world.request, "y") == std::vector<std::string_view>{"\"4,5\""});
}

TEST_CASE("a text keeps its beginning over a resume point, whoever uses the worker meanwhile") {
  test::ProgramText text;
  const auto before = text.text("before ");
  const auto after = text.text(" after");
  const auto name = text.field("x");
  text.step(Op::text_begin)
      .step(Op::text_constant, 0, 0, before)
      .step(Op::test_suspend)
      .step(Op::text_alias, 0, id(abi::AliasId::ci), 0)
      .step(Op::test_suspend)
      .step(Op::text_constant, 0, 0, after)
      .step(Op::text_end, 0)
      .step(Op::act, 0, id(abi::ActionId::set_header), name)
      .step(Op::next);
  Machine machine(text);
  test::World world;
  REQUIRE(machine.run(world).kind == Outcome::Kind::suspend);
  CHECK(world.frame.resume == 1);
  world.worker.text = "of somebody else";
  REQUIRE(machine.run(world, 1).kind == Outcome::Kind::suspend);
  CHECK(world.frame.resume == 2);
  world.worker.text = "of somebody else";
  CHECK(machine.run(world, 2).kind == Outcome::Kind::next);
  CHECK(test::World::values(world.request, "x") == std::vector<std::string_view>{"before 192.0.2.1 after"});
}

TEST_CASE("what is not known yet is absorbed as three-valued logic says") {
  using abi::Truth;
  const Truth all[] = {Truth::no, Truth::yes, Truth::unknown};
  for (const Op op : {Op::absorb_or, Op::absorb_and}) {
    for (const Truth a : all) {
      for (const Truth b : all) {
        test::ProgramText text;
        text.step(Op::keep_condition, 0).step(Op::test_suspend).step(op, 0).step(Op::next);
        Machine machine(text);
        test::World world;
        // The suspension lets the test put both values in place.
        REQUIRE(machine.run(world).kind == Outcome::Kind::suspend);
        world.frame.registers[0] = abi::Sample::boolean(a == Truth::yes);
        world.frame.registers[0].pending = a == Truth::unknown;
        world.frame.condition = b;
        machine.run(world, 1);
        const Truth decisive = op == Op::absorb_or ? Truth::yes : Truth::no;
        Truth expected = op == Op::absorb_or ? Truth::no : Truth::yes;
        if (a == Truth::unknown || b == Truth::unknown) expected = Truth::unknown;
        if (a == decisive || b == decisive) expected = decisive;
        CHECK(world.frame.condition == expected);
      }
    }
  }
}

TEST_CASE("need begins again at its target") {
  test::ProgramText text;
  const auto args = text.arguments({text.variable_constant(abi::VariableScope::txn, "late"), {}});
  const auto none = abi::kNoConstant;
  text.step(Op::fetch, 0, id(abi::FetchId::var), args)
      .step(Op::test, 0, id(abi::Match::found), none)
      .step(Op::jump_if, 0, 2, none, 4)
      .step(Op::need, 0, 0, none, 0)
      .step(Op::stop);
  Machine machine(text);
  test::World world;
  REQUIRE(machine.run(world).kind == Outcome::Kind::need);
  REQUIRE(machine.run(world, world.frame.resume).kind == Outcome::Kind::need);
  world.txn.set("late", abi::Sample::sint(1), world.arena);
  CHECK(machine.run(world, world.frame.resume).kind == Outcome::Kind::stop);
}

TEST_CASE("separators of a log format collapse around what is empty") {
  test::ProgramText text;
  text.point = abi::EntryPoint::log;
  const auto a = text.text("a");
  text.step(Op::text_begin)
      .step(Op::text_separator)
      .step(Op::text_alias, 0, id(abi::AliasId::hr), 0)
      .step(Op::text_separator)
      .step(Op::text_constant, 0, 0, a)
      .step(Op::text_separator)
      .step(Op::text_alias, 0, id(abi::AliasId::hs), 0)
      .step(Op::text_separator)
      .step(Op::text_alias, 0, id(abi::AliasId::tsc), 0)
      .step(Op::emit);
  Machine machine(text);
  test::World world;
  machine.run(world, 0, abi::EntryPoint::log);
  CHECK(world.frame.line == "a ----");
}

TEST_CASE("a run leaves nothing of the one before in its outcome") {
  test::ProgramText text;
  const auto name = text.field("x");
  const auto value = text.text("v");
  const auto reply = text.constant(text.index_constant(Kind::reply, 0));
  text.replies = 1;
  text.step(Op::load, 1, 0, value)
      .step(Op::act, 1, id(abi::ActionId::add_header), name)
      .step(Op::reply_field, 1)
      .step(Op::reply_body, 1)
      .step(Op::reply, 0, id(abi::ActionId::return_), reply);
  Machine machine(text);
  test::World world;
  for (int turn = 0; turn < 2; ++turn) {
    const Outcome outcome = machine.run(world);
    CHECK(outcome.kind == Outcome::Kind::reply);
    CHECK(outcome.action == abi::ActionId::return_);
    CHECK(world.frame.body == "v");
    CHECK(world.frame.field_values.size() == 1);
  }
}

}  // namespace
}  // namespace hawser::exec
