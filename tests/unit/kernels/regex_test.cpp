// Regular expressions, against what haproxy 2.6 answered.
#include <doctest/doctest.h>

#include <string>

#include "runtime/kernels/regex.h"

namespace hawser::kernels {
namespace {

bool found(std::string_view pattern, std::string_view text, const Regex::Options& options = {}) {
  const auto made = Regex::compile(pattern, options);
  REQUIRE(made.ok());
  return made->matches(text);
}

TEST_CASE("an expression is found anywhere, unless it is anchored") {
  CHECK(found("b+", "abbc"));
  CHECK_FALSE(found("^b", "abbc"));
  CHECK(found("^$", ""));
  CHECK(found("", std::string_view()));
  CHECK_FALSE(found("a", std::string_view()));
  CHECK(found("a.c", std::string_view("a\0c", 3)));
}

TEST_CASE("case matters unless the set or the expression says otherwise") {
  CHECK_FALSE(found("^ab", "ABC"));
  CHECK(found("^ab", "ABC", {.ignore_case = true}));
  CHECK(found("(?i)^ab", "ABC"));
}

// HAProxy's stack is PCRE's own of 32 KB: no text of more than some 1,000 bytes matches these.
TEST_CASE("groups that repeat match long texts") {
  CHECK(found("^(a|aa)+$", std::string(3000, 'a')));
  CHECK(found("^(?:[a-z]+|/)*(x|y)?$", std::string(6000, 'a')));
}

TEST_CASE("plain groups are captured where that is asked for") {
  const auto plain = Regex::compile("(.)\\1", {});
  REQUIRE_FALSE(plain.ok());
  CHECK(plain.error().text == "reference to non-existent subpattern");
  CHECK(plain.error().offset == 4);
  CHECK(found("(.)\\1", "abb", {.captures = true}));
  CHECK(found("(?<c>.)\\k<c>", "abb"));
}

TEST_CASE("what PCRE2 does not take comes with its words and the byte") {
  const auto made = Regex::compile("a[", {});
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().text == "missing terminating ] for character class");
  CHECK(made.error().offset == 2);
}

TEST_CASE("an expression that backtracks without end is no match, and ends") {
  const std::string text(4096, 'a');
  CHECK_FALSE(found("^(a|aa)+\\d$", text));
}

}  // namespace
}  // namespace hawser::kernels
