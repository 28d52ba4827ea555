// From IR written by hand to what a run does: the order of blocks, registers, merged look-ups.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compiler/finalise/finalise.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "runtime/abi/program.h"
#include "tests/support/world.h"

namespace hawser::compiler {
namespace {

constexpr std::string_view kHead =
    "proxy 0 \"f\"\nproxy 1 \"b\"\nproxy 2 \"c\"\nproxy 3 \"d\"\nreplies 1\n"
    "set #0 str acl \"\" file \"\" {\n  \"one\" line 1\n}\n"
    "set #1 str acl \"\" file \"\" {\n  \"two\" line 2\n}\n"
    "set #2 beg acl \"\" file \"\" {\n  \"/a\" line 3\n}\n"
    "set #3 int acl \"\" file \"\" {\n  \"3\" range 3..3 line 4\n}\n";

// A function at a point, finalised; runs about worlds.
struct Finalised {
  abi::Image program;
  std::unique_ptr<exec::Engine> engine;
  abi::EntryPoint point;

  Finalised(std::string_view blocks, abi::EntryPoint at, bool suspend = false) : point(at) {
    auto parsed = ir::parse(fmt::format("{}function 0 {} {{\n{}}}\n", kHead, abi::name_of(at), blocks));
    if (const auto* error = std::get_if<ir::ParseError>(&parsed)) {
      MESSAGE(fmt::format("{}: {}", error->line, error->text));
      REQUIRE(false);
    }
    const ir::Module& module = std::get<ir::Module>(parsed);
    REQUIRE(ir::verify(module) == "");
    program = finalise(module, {.suspend_everywhere = suspend});
    REQUIRE(abi::verify(program.view()) == "");
    auto made = exec::Engine::make(program.view());
    REQUIRE(made.ok());
    engine = std::move(*made);
  }
  exec::Outcome run(test::World& world) const {
    exec::Subject subject = world.subject();
    const abi::Entry& entry = engine->entry(0, point);
    exec::Outcome outcome = engine->run(entry, world.worker, subject, world.frame, 0);
    while (outcome.kind == exec::Outcome::Kind::suspend) {
      outcome = engine->run(entry, world.worker, subject, world.frame, world.frame.resume);
    }
    return outcome;
  }
  const abi::Function& function() const {
    return program.view().rows(program.view().root<abi::Program>().functions).front();
  }
};

TEST_CASE("select_backend: the first case wins, whatever the order of the occurrences") {
  for (const bool suspend : {false, true}) {
    const Finalised made(
        "b0:\n  select_backend {\n    hdr(\"x\",-) str #0 -> 1\n    path beg #2 -> 2\n    hdr(\"x\",-) str #1 -> 3\n"
        "  } else b1\nb1:\n  use_backend 0\n",
        abi::EntryPoint::choose_backend, suspend);
    const auto chosen = [&](const char* path, const char* field) {
      test::World world;
      world.set_request("GET", path);
      if (field != nullptr) world.add("x", field);
      made.run(world);
      return world.frame.backend;
    };
    CHECK(chosen("/", "one") == 1);
    CHECK(chosen("/", "two") == 3);
    CHECK(chosen("/", "two, one") == 1);
    CHECK(chosen("/a", "two") == 2);
    CHECK(chosen("/a", "two, one") == 1);
    CHECK(chosen("/", "three") == 0);
    CHECK(chosen("/", nullptr) == 0);
  }
}

TEST_CASE("select: again goes on behind the case that was found, and an inner one begins anew") {
  for (const bool suspend : {false, true}) {
    const Finalised made(
        // Case 0 has two tests. Every case adds a field and goes on, but case 1 only where a field is there.
        "b0:\n  select {\n    hdr(\"x\",-) str #0 -> b1\n    path beg #2 -> b1\n    hdr(\"x\",-) str #1 -> b2\n"
        "    req.hdr_cnt(\"x\") int #3 -> b3\n  } else b5\n"
        "b1:\n  r0 = constant \"first\"\n  act add-header r0 field \"y\"\n  jump b4\n"
        "b2:\n  match req.hdr(\"z\",-) found\n  branch no|? b4 else b6\n"
        "b3:\n  r2 = constant \"third\"\n  act add-header r2 field \"y\"\n  jump b4\n"
        "b4:\n  again b0\n"
        "b5:\n  next\n"
        "b6:\n  select {\n    path beg #2 -> b7\n  } else b8\n"
        "b7:\n  r3 = constant \"inner\"\n  act add-header r3 field \"y\"\n  again b6\n"
        "b8:\n  r4 = constant \"second\"\n  act add-header r4 field \"y\"\n  jump b4\n",
        abi::EntryPoint::http_request, suspend);
    const auto added = [&](const char* path, std::vector<const char*> values, bool z) {
      test::World world;
      world.set_request("GET", path);
      for (const char* value : values) world.add("x", value);
      if (z) world.add("z", "");
      CHECK(made.run(world).kind == exec::Outcome::Kind::next);
      std::string all;
      for (const std::string_view value : test::World::values(world.request, "y")) all += fmt::format("{} ", value);
      return all;
    };
    CHECK(added("/", {}, false) == "");
    CHECK(added("/", {"one"}, false) == "first ");
    CHECK(added("/a", {"one"}, false) == "first ");
    CHECK(added("/", {"two", "one"}, false) == "first ");
    CHECK(added("/a", {"two", "one", "0"}, true) == "first inner second third ");
    CHECK(added("/", {"two", "one", "0"}, true) == "first second third ");
    CHECK(added("/", {"0", "0", "0"}, true) == "third ");
  }
}

TEST_CASE("an inner case may go back to the outer select, and the loops of both may overlap") {
  const Finalised made(
      "b0:\n  r0 = sample path\n  select {\n    hdr(\"x\",-) str #0 -> b1\n    hdr(\"x\",-) str #1 -> b6\n  } else b5\n"
      "b1:\n  select {\n    hdr(\"x\",-) str #0 -> b2\n    path beg #2 -> b7\n  } else b4\n"
      "b2:\n  act add-header r0 field \"y\"\n  match req.hdr(\"y\",-) found\n  branch yes b3 else b4\n"
      "b3:\n  again b1\nb4:\n  again b0\nb5:\n  next\nb6:\n  jump b1\nb7:\n  jump b2\n",
      abi::EntryPoint::http_request);
  test::World world;
  world.set_request("GET", "/a");
  world.add("x", "one, two");
  CHECK(made.run(world).kind == exec::Outcome::Kind::next);
  CHECK(test::World::values(world.request, "y").size() == 4);
}

TEST_CASE("blocks are put in order, whatever their numbers, and those that nothing reaches are left out") {
  const Finalised made(
      "b0:\n  jump b3\nb1:\n  next\nb2:\n  stop\nb3:\n  match path beg #2\n  branch yes b2 else b1\nb4:\n  stop\n",
      abi::EntryPoint::http_request);
  test::World world;
  world.set_request("GET", "/a");
  CHECK(made.run(world).kind == exec::Outcome::Kind::stop);
  world.set_request("GET", "/b");
  CHECK(made.run(world).kind == exec::Outcome::Kind::next);
  CHECK(made.function().steps == 5);
}

TEST_CASE("a register lasts as long as it is read, through loops, and is used again behind that") {
  const Finalised made(
      "b0:\n  r0 = sample path\n  r1 = sample method\n  act set-var r1 txn.m\n  r2 = sample src\n  act set-var r2 "
      "txn.s\n"
      "  select {\n    hdr(\"x\",-) str #0 -> b1\n    hdr(\"x\",-) str #1 -> b1\n    path beg #2 -> b2\n  } else b3\n"
      "b1:\n  act add-header r0 field \"y\"\n  again b0\n"
      "b2:\n  r3 = constant \"z\"\n  act add-header r3 field \"y\"\n  again b0\n"
      "b3:\n  next\n",
      abi::EntryPoint::http_request);
  test::World world;
  world.set_request("GET", "/a");
  world.add("x", "one, two");
  made.run(world);
  CHECK(test::World::values(world.request, "y") == std::vector<std::string_view>{"/a", "z"});
  // r0 through the loop; one other at a time.
  CHECK(made.function().registers == 2);
}

}  // namespace
}  // namespace hawser::compiler
