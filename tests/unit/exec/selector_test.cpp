// Merged tests: what selectors find, what comes of it, and which programs with them are refused.
#include <doctest/doctest.h>

#include "runtime/exec/run.h"
#include "tests/support/program_text.h"
#include "tests/support/world.h"

namespace hawser::exec {
namespace {

using abi::Match;
using abi::Op;
using Kind = abi::Constant::Kind;

constexpr auto kHeader = static_cast<std::uint16_t>(abi::FetchId::req_hdr);

// Cases 0, 1, 2: the values "a", "b", "c" of a field; then a number of steps to write.
struct Choosing : test::ProgramText {
  std::uint32_t args = 0, cases = 0, backends = 0;
  explicit Choosing(std::uint32_t count = 3, bool counts_values = false) {
    selectors = 1;
    args = arguments({text_constant("x", Kind::field), {}});
    set(Match::string, {"a"});
    set(Match::string, {"b"});
    set(Match::string, {"c"});
    std::vector<abi::ChoiceCase> rows(3);
    for (std::uint32_t at = 0; at < 3; ++at) {
      rows[at].number = at;
      rows[at].set = at;
    }
    cases = choice(rows);
    step(Op::select_begin, 0, 0, count);
    step(Op::fetch, 0, kHeader, args, 0, abi::fetch_every);
    if (counts_values) {
      step(Op::load, 1, 0, text("+"));
      step(Op::act, 1, static_cast<std::uint16_t>(abi::ActionId::add_header), field("hit"));
    }
    step(Op::select, 0, 0, cases);
    step(Op::fetch_next, 0, kHeader, args, 2, abi::fetch_every);
    for (std::uint32_t at = 0; at < count; ++at) {
      const std::uint32_t place = constant(index_constant(Kind::backend, 0));
      if (at == 0) backends = place;
    }
  }
  std::string wrong() { return abi::verify(finish().view()); }
};

struct Machine {
  abi::Image image;
  std::unique_ptr<Engine> engine;
  explicit Machine(test::ProgramText& text) : image(text.finish()) {
    auto made = Engine::make(image.view());
    if (!made.ok()) MESSAGE(made.error().message);
    REQUIRE(made.ok());
    engine = std::move(*made);
  }
  // The value of the request field "hit" afterwards.
  std::string hits(const char* values) {
    test::World world;
    if (*values != '\0') world.add("x", values);
    Subject subject = world.subject();
    Outcome outcome =
        engine->run(engine->entry(0, abi::EntryPoint::http_request), world.worker, subject, world.frame, 0);
    while (outcome.kind == Outcome::Kind::suspend) {
      outcome = engine->run(engine->entry(0, abi::EntryPoint::http_request), world.worker, subject, world.frame,
                            world.frame.resume);
    }
    std::string all;
    for (const std::string_view one : test::World::values(world.request, "hit")) all += one;
    return all + (outcome.kind == Outcome::Kind::stop ? "." : "");
  }
};

// Behind `jump_found`: a rule for each case that adds its letter, and then looks for the next one.
void add_rules(Choosing& text, bool again) {
  const std::uint32_t found = text.here();
  text.step(Op::jump_found, 0, 0, abi::kNoConstant, found + 4 + 9);
  for (std::uint32_t at = 0; at < 3; ++at) text.step(Op::jump, 0, 0, abi::kNoConstant, found + 4 + 3 * at);
  for (const char* letter : {"a", "b", "c"}) {
    text.step(Op::load, 1, 0, text.text(letter));
    text.step(Op::act, 1, static_cast<std::uint16_t>(abi::ActionId::add_header), text.field("hit"));
    if (again) {
      text.step(Op::select_again, 0, 0, abi::kNoConstant, 1);
    } else {
      text.step(Op::jump, 0, 0, abi::kNoConstant, found + 4 + 9);
    }
  }
  text.step(Op::stop);
}

TEST_CASE("the first case wins, whatever the order of the values") {
  Choosing text;
  add_rules(text, false);
  Machine machine(text);
  CHECK(machine.hits("c, b, x") == "b.");
  CHECK(machine.hits("x, c") == "c.");
  CHECK(machine.hits("c, a, b") == "a.");
  CHECK(machine.hits("x") == ".");
  CHECK(machine.hits("") == ".");
}

TEST_CASE("no value is looked at behind one of the first case") {
  Choosing text(3, true);
  add_rules(text, false);
  Machine machine(text);
  CHECK(machine.hits("a, b, c") == "+a.");
  CHECK(machine.hits("b, a, c") == "++a.");
  CHECK(machine.hits("b, c, x") == "+++b.");
}

TEST_CASE("a selector looks on behind the case that it has found, with all values again") {
  Choosing text;
  add_rules(text, true);
  Machine machine(text);
  CHECK(machine.hits("c, x, a") == "ac.");
  CHECK(machine.hits("b, a, c, b") == "abc.");
  CHECK(machine.hits("b") == "b.");
}

TEST_CASE("a selector keeps what it knows over a resume point") {
  Choosing text;
  const std::uint32_t end = text.here() + 5;
  text.step(Op::test_suspend)
      .step(Op::jump_unless_found, 0, 0, abi::kNoConstant, end - 1)
      .step(Op::load, 1, 0, text.text("y"))
      .step(Op::act, 1, static_cast<std::uint16_t>(abi::ActionId::add_header), text.field("hit"))
      .step(Op::stop)
      .step(Op::next);
  text.steps[5].target = end;
  Machine machine(text);
  CHECK(machine.hits("c") == "y.");
  CHECK(machine.hits("d") == "");
}

TEST_CASE("a choice is asked no more once one of its sets was changed, and the answers stay") {
  Choosing text;
  add_rules(text, true);
  Machine machine(text);
  machine.engine->set_changed(1);
  CHECK(machine.hits("c, x, a") == "ac.");
  CHECK(machine.hits("b") == "b.");
  CHECK(machine.hits("x") == ".");
}

TEST_CASE("the backend of the case found is used") {
  Choosing text;
  text.step(Op::use_backend_found, 0, 0, text.backends);
  Machine machine(text);
  for (const auto& [value, backend] : {std::pair{"b", 0}, std::pair{"z", -1}}) {
    test::World world;
    world.add("x", value);
    Subject subject = world.subject();
    machine.engine->run(machine.engine->entry(0, abi::EntryPoint::http_request), world.worker, subject, world.frame, 0);
    CHECK(world.frame.backend == backend);
  }
}

// The first one's way back lies within the second one's. "a" and "c" are found by the first, and "c" once more by the second.
TEST_CASE("a selector may look on within what another one does, wherever the ways back stand") {
  Choosing text;
  text.selectors = 2;
  text.step(Op::jump_unless_found, 0, 0, abi::kNoConstant, 13)
      .step(Op::select_begin, 0, 1, 3)
      .step(Op::fetch, 2, kHeader, text.args, 0, abi::fetch_every)
      .step(Op::select, 2, 1, text.cases)
      .step(Op::fetch_next, 2, kHeader, text.args, 7, abi::fetch_every)
      .step(Op::jump_unless_found, 0, 1, abi::kNoConstant, 12)
      .step(Op::load, 1, 0, text.text("x"))
      .step(Op::act, 1, static_cast<std::uint16_t>(abi::ActionId::add_header), text.field("hit"))
      .step(Op::select_again, 0, 0, abi::kNoConstant, 1)
      .step(Op::select_again, 0, 1, abi::kNoConstant, 6)
      .step(Op::stop);
  text.steps[9].target = 14;
  text.steps[4].target = 14;
  text.steps.insert(text.steps.begin() + 12, {Op::jump, 0, 0, 0, 0, abi::kNoConstant, 13});
  Machine machine(text);
  CHECK(machine.hits("c, x, a") == "xxx.");
  CHECK(machine.hits("x") == ".");
}

TEST_CASE("programs whose selectors may go astray are refused") {
  SUBCASE("a choice with more cases than its selector") {
    Choosing text(2);
    text.step(Op::next);
    CHECK(text.wrong() == "a choice has more than 2 cases");
  }
  SUBCASE("fewer jumps than cases") {
    Choosing text;
    text.step(Op::jump_found, 0, 0, abi::kNoConstant, 6).step(Op::jump, 0, 0, abi::kNoConstant, 6).step(Op::next);
    CHECK(text.wrong() == "3 cases lack jumps");
  }
  SUBCASE("something else in place of a jump") {
    Choosing text;
    text.step(Op::jump_found, 0, 0, abi::kNoConstant, 6).step(Op::negate).step(Op::negate).step(Op::next);
    CHECK(text.wrong() == "negate stands in place of a jump");
  }
  SUBCASE("fewer backends than cases") {
    Choosing text;
    text.step(Op::use_backend_found, 0, 0, text.backends + 1);
    CHECK(text.wrong() == "3 cases lack backends");
  }
  SUBCASE("a constant that is no backend among them") {
    Choosing text;
    text.constants[text.backends + 2] = text.number_constant(1);
    text.step(Op::use_backend_found, 0, 0, text.backends);
    CHECK(text.wrong().find("use_backend_found has a constant of kind") == 0);
  }
  SUBCASE("a selector that begins twice") {
    Choosing text;
    text.step(Op::select_begin, 0, 0, 3).step(Op::next);
    CHECK(text.wrong() == "selector 0 begins twice");
  }
  SUBCASE("a selector that is none") {
    Choosing text;
    text.step(Op::jump_unless_found, 0, 1, abi::kNoConstant, 5).step(Op::next);
    CHECK(text.wrong() == "selector 1 is none");
  }
  SUBCASE("a loop that begins its selector anew") {
    Choosing text;
    text.step(Op::select_again, 0, 0, abi::kNoConstant, 0).step(Op::next);
    CHECK(text.wrong() == "a loop at 4 begins anew");
  }
  SUBCASE("a loop whose selector begins behind it") {
    Choosing text;
    text.selectors = 2;
    text.step(Op::select_again, 0, 1, abi::kNoConstant, 1).step(Op::select_begin, 0, 1, 3).step(Op::next);
    CHECK(text.wrong() == "a loop at 4 begins nowhere");
  }
  SUBCASE("loops that overlap") {
    Choosing text;
    text.step(Op::select_again, 0, 0, abi::kNoConstant, 3).step(Op::next);
    CHECK(text.wrong() == "loops overlap at 4");
  }
  SUBCASE("cases that are not in order") {
    Choosing text;
    std::vector<abi::ChoiceCase> rows(2);
    rows[0].number = 1;
    rows[0].set = rows[1].set = 0;
    text.choice(rows);
    text.step(Op::next);
    CHECK(text.wrong() == "the cases of a choice are not in order");
  }
}

}  // namespace
}  // namespace hawser::exec
