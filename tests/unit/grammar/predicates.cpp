// Claims about the conditions of `.if` and `-cc`, each measured on haproxy 2.6 but for strstr().
#include <doctest/doctest.h>

#include "tests/unit/grammar/helper.h"

namespace hawser::grammar {
namespace {

// "1", "0", or the message.
std::string answer(std::string_view condition) {
  test::Config config("");
  config.environment.set("HOME", "/root");
  const Reader::Predicate predicate = [](std::string_view name, const std::vector<std::string>& args) {
    return name == "feature" ? std::optional<bool>(args.size() == 1 && args[0] == "THREAD") : std::nullopt;
  };
  Word word;
  word.text = condition;
  const auto holds = evaluate_predicate(word, config.environment, predicate, config.diagnostics);
  return holds ? (*holds ? "1" : "0") : config.messages().substr(std::string("Failed to evaluate condition: ").size());
}

TEST_CASE("predicates answer") {
  for (const auto* condition : {"defined(HOME)", "streq(a,a)", "strneq(a,b)", "strstr(abc,b)", "feature(THREAD)", "1",
                                "-1", "00012", "0x0F", "streq(\" a\",\\ a)", "streq(\"a,b\",'a,b')",
                                "streq(\"a)\",'a)')", "streq(a\\z,'a\\z')", "streq(a\\tb,\"a\tb\")"}) {
    CAPTURE(condition);
    CHECK(answer(condition) == "1");
  }
  for (const auto* condition : {"", " ", "0", "00", "defined(NO)", "defined", "defined()", "streq(a, a)", "feature(X)",
                                "strstr(b,abc)", "streq(a\\x41b,aAb)"}) {
    CAPTURE(condition);
    CHECK(answer(condition) == "0");
  }
}

TEST_CASE("'and' binds before 'or', parentheses before both") {
  CHECK(answer("1 || 0 && 0") == "1");
  CHECK(answer("1 && 0||1") == "1");
  CHECK(answer("( 1 || 0 ) && 0") == "0");
  CHECK(answer("!(1&&0)") == "1");
  CHECK(answer("! !1") == "1");
}

TEST_CASE("mistakes in conditions have haproxy's words") {
  CHECK(answer("1 2") == "unexpected character '2' at the end of conditional expression '1 2'\n");
  CHECK(answer("12a") == "unexpected character 'a' at the end of conditional expression '12a'\n");
  CHECK(answer("08") == "unexpected character '8' at the end of conditional expression '08'\n");
  CHECK(answer("!(1") == "expected ')' after conditional expression '!(1'\n");
  CHECK(answer("foo(1)") == "unparsable conditional expression 'foo(1)'\n");
  CHECK(answer("&& 1") == "unparsable conditional expression '&& 1'\n");
  CHECK(answer("!") == "unparsable conditional expression '!'\n");
  CHECK(answer("!foo") == "unparsable conditional expression '!foo'\n");
  CHECK(answer("1 &&") == "unparsable conditional expression '&&'\n");
  CHECK(answer("1 ||") == "unparsable conditional expression '1 ||'\n");
  CHECK(answer("(") == "unparsable conditional expression '('\n");
  CHECK(answer("()") == "unparsable conditional expression ')'\n");
  CHECK(answer("(1") == "expected ')' after conditional expression '(1'\n");
  CHECK(answer("defined(") == "expected ')' in argument 1 of predicate 'defined' used in conditional expression\n");
  CHECK(answer("streq(a") ==
        "missing arguments (got 1/2), type 'string' expected in argument 1 of predicate 'streq' used in "
        "conditional expression\n");
  CHECK(answer("defined(HOME,x)") ==
        "expected ')' before ',x)' in argument 1 of predicate 'defined' used in conditional expression\n");
  CHECK(answer("streq(a)") ==
        "missing arguments (got 1/2), type 'string' expected in argument 1 of predicate 'streq' used in "
        "conditional expression\n");
}

TEST_CASE("parentheses nest to a bound") {
  CHECK(answer(std::string(100, '(') + "1" + std::string(100, ')')) == "1");
  CHECK(answer(std::string(100'000, '(')) == "too many nested parentheses, max is 100\n");
}

}  // namespace
}  // namespace hawser::grammar
