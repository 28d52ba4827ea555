// Patterns as haproxy 2.6 reads them: each of these was asked of it.
#include <doctest/doctest.h>

#include <utility>

#include "runtime/kernels/patterns.h"

namespace hawser::kernels {
namespace {

using abi::Match;

std::string said(std::string_view text, Match match) {
  const auto parsed = parse_pattern(text, match, {});
  return parsed ? "" : parsed.error();
}

std::pair<std::int64_t, std::int64_t> range(std::string_view text) {
  const auto parsed = parse_range(text);
  REQUIRE_MESSAGE(parsed.ok(), text);
  return {parsed->low, parsed->high};
}

std::string network(std::string_view text) {
  const auto parsed = parse_network(text);
  if (!parsed) return parsed.error() == AddressProblem::malformed ? "malformed" : "holes";
  return parsed->address.to_string() + "/" + std::to_string(parsed->prefix_bits);
}

TEST_CASE("a number is itself, and both ':' and '-' make a range") {
  using Range = std::pair<std::int64_t, std::int64_t>;
  CHECK(range("5") == Range{5, 5});
  CHECK(range("007") == Range{7, 7});
  CHECK(range("5:7") == Range{5, 7});
  CHECK(range("5-7") == Range{5, 7});
  CHECK(range("5:") == Range{5, INT64_MAX});
  CHECK(range("1-") == Range{1, INT64_MAX});
  CHECK(range(":5") == Range{INT64_MIN, 5});
  CHECK(range("0:-0") == Range{0, 0});
  CHECK(range("9223372036854775807") == Range{INT64_MAX, INT64_MAX});
}

TEST_CASE("a leading '-' is no sign but a separator: only the upper bound may be negative") {
  using Range = std::pair<std::int64_t, std::int64_t>;
  CHECK(range("-5") == Range{INT64_MIN, 5});
  CHECK(range("--5") == Range{INT64_MIN, -5});
  CHECK(range(":-3") == Range{INT64_MIN, -3});
  CHECK(range(":-") == Range{INT64_MIN, 0});
}

TEST_CASE("what is no number or range is named so") {
  for (const std::string_view text : {"", "x", "+1", " 1", "1 ", "0x10", "1.5", "9223372036854775808"}) {
    CHECK_MESSAGE(said(text, Match::integer) == "'" + std::string(text) + "' is not a number", text);
  }
  for (const std::string_view text : {"-", ":", "::", "9:8", "1:-1", "-9:-5", "-:5", "5:+6", "3:-", "1--", "1:2:3",
                                      "1.1:1.2", "-9223372036854775808"}) {
    CHECK_MESSAGE(said(text, Match::length) == "'" + std::string(text) + "' is not a valid number range", text);
  }
}

TEST_CASE("an operator makes a range of a number, and leaves ranges alone") {
  CHECK(apply_operator(Operator::ge, "10") == "10:");
  CHECK(apply_operator(Operator::gt, "10") == "11:");
  CHECK(apply_operator(Operator::le, "20") == ":20");
  CHECK(apply_operator(Operator::lt, "0") == ":-1");
  CHECK(apply_operator(Operator::ge, "1.5") == "1:");
  CHECK(apply_operator(Operator::ge, "1.x") == "1:");
  CHECK(apply_operator(Operator::eq, "1.5") == "1.5");
  CHECK(apply_operator(Operator::lt, "3-4") == "3-4");
  CHECK(apply_operator(Operator::gt, "9223372036854775807") == "-9223372036854775808:");
  CHECK_FALSE(apply_operator(Operator::ge, "x").has_value());
  CHECK_FALSE(apply_operator(Operator::ge, ".5").has_value());
}

TEST_CASE("a network is an address with a number of bits or a dotted mask") {
  CHECK(network("1.2.3.4") == "1.2.3.4/32");
  CHECK(network("1.2.3.4/24") == "1.2.3.0/24");
  CHECK(network("1.2.3.4/032") == "1.2.3.4/32");
  CHECK(network("1.2.3.4/+24") == "1.2.3.0/24");
  CHECK(network("1.2.3.4/0") == "0.0.0.0/0");
  CHECK(network("1.2.3.4/255.255.255.0") == "1.2.3.0/24");
  CHECK(network("1.2.3.4/0.0.0.0") == "0.0.0.0/0");
  CHECK(network("::ffff:1.2.3.4") == "::ffff:1.2.3.4/128");
  CHECK(network("2001:DB8::1/32") == "2001:db8::/32");
}

TEST_CASE("what is no network is refused, a mask with holes as not supported") {
  for (const std::string_view text : {"",
                                      "1",
                                      "1.2.3",
                                      "10.1",
                                      "0x7f.1",
                                      "010.0.0.1",
                                      "256.1.1.1",
                                      "1.2.3.4.5",
                                      "1.2.3.4x",
                                      "1.2.3.4:80",
                                      "localhost",
                                      "*",
                                      " 1.2.3.4",
                                      "[::1]",
                                      "fe80::1%lo",
                                      "1.2.3.4/",
                                      "1.2.3.4/33",
                                      "1.2.3.4/-1",
                                      "1.2.3.4/24.",
                                      "1.2.3.4/24 ",
                                      "1.2.3.4/0x18",
                                      "1.2.3.4/255.255",
                                      "::1/129",
                                      "::1/x",
                                      "::1/255.0.0.0"}) {
    CHECK_MESSAGE(network(text) == "malformed", text);
  }
  CHECK(network("1.2.3.4/255.0.255.0") == "holes");
  CHECK(said("1.2.3", Match::ip) == "'1.2.3' is not a valid IPv4 or IPv6 address");
}

TEST_CASE("a regular expression is compiled, or PCRE2's reason is told") {
  const auto parsed = parse_pattern("^/A", Match::regex, {.ignore_case = true});
  REQUIRE(parsed.ok());
  CHECK(parsed->regex->matches("/a/b"));
  CHECK(said("(", Match::regex) == "regex '(' is invalid (error=missing closing parenthesis, erroffset=1)");
  CHECK(said("(", Match::string) == "");
}

}  // namespace
}  // namespace hawser::kernels
