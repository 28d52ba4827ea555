// Matchers, against what haproxy 2.6 answered (tests/differential/samples.py asks it again).
#include <doctest/doctest.h>

#include "runtime/kernels/formats.h"
#include "runtime/kernels/matchers.h"

namespace hawser::kernels {
namespace {

using abi::Match;
using abi::Sample;

TEST_CASE("texts match whole, at an end, or inside") {
  CHECK(match_text("abc", "abc", Match::string, false));
  CHECK_FALSE(match_text("abcd", "abc", Match::string, false));
  CHECK(match_text("ABC", "abc", Match::string, true));
  CHECK(match_text("abc", "ab", Match::begin, false));
  CHECK(match_text("abc", "bc", Match::end, false));
  CHECK_FALSE(match_text("c", "bc", Match::end, false));
  CHECK(match_text("xAbC", "aBc", Match::substring, true));
  CHECK_FALSE(match_text("xabd", "abc", Match::substring, false));
}

TEST_CASE("a directory or domain matches between delimiters, its own delimiters aside") {
  CHECK(match_text("/a/b/c", "b", Match::directory, false));
  CHECK(match_text("/a/b/c", "/a/b/", Match::directory, false));
  CHECK(match_text("q?a?", "a", Match::directory, false));
  CHECK_FALSE(match_text("/ab/c", "b", Match::directory, false));
  CHECK_FALSE(match_text("a.b", "a", Match::directory, false));
  CHECK(match_text("b.a.b.c", "a.b", Match::domain, false));
  CHECK(match_text("A.b.c:80", ".B.", Match::domain, true));
  CHECK_FALSE(match_text("/a/b", "/", Match::directory, false));
  CHECK_FALSE(match_text("a.b", ".", Match::domain, false));
}

bool match_address(const char* sample, const char* network, unsigned bits) {
  const auto ip = *IpAddress::parse(network);
  abi::Pattern pattern;
  std::copy(ip.bytes.begin(), ip.bytes.end(), pattern.ip);
  pattern.ip_family = ip.family == IpAddress::Family::v4 ? 4 : 6;
  pattern.prefix_bits = static_cast<std::uint8_t>(bits);
  const abi::ImageView none;
  return matches(Sample::address(*IpAddress::parse(sample)), {&none, {&pattern, 1}, Match::ip, false});
}

TEST_CASE("addresses match across families in the forms that hold the other") {
  CHECK(match_address("192.0.2.1", "192.0.2.0", 24));
  CHECK_FALSE(match_address("192.0.3.1", "192.0.2.0", 24));
  CHECK(match_address("192.0.3.1", "192.0.2.0", 23));
  CHECK(match_address("::ffff:192.0.2.1", "192.0.2.0", 24));
  CHECK(match_address("::192.0.2.1", "192.0.2.0", 24));
  CHECK(match_address("2002:c000:201::1", "192.0.2.0", 24));
  CHECK(match_address("192.0.2.1", "::ffff:192.0.2.0", 120));
  CHECK(match_address("192.0.2.1", "::", 0));
  CHECK_FALSE(match_address("192.0.2.1", "::192.0.2.1", 128));
  CHECK_FALSE(match_address("192.0.2.1", "2002:c000:201::", 48));
  CHECK_FALSE(match_address("2001:db8::1", "0.0.0.0", 0));
}

TEST_CASE("an absent sample and one of another type match nothing") {
  const abi::ImageView none;
  abi::Pattern any;
  CHECK_FALSE(matches(Sample(), {&none, {&any, 1}, Match::integer, false}));
  CHECK_FALSE(matches(Sample::text("5"), {&none, {&any, 1}, Match::integer, false}));
  CHECK_FALSE(matches(Sample::sint(5), {&none, {&any, 1}, Match::string, false}));
  CHECK(matches(Sample::sint(5), {&none, {&any, 1}, Match::integer, false}));
}

TEST_CASE("values of log formats: quoted, escaped, absent") {
  const auto value = [](const char* text, std::uint16_t flags) {
    std::string out;
    append_value(out, text, flags);
    return out;
  };
  CHECK(value("a\"b", abi::format_quote) == "\"a\"b\"");
  CHECK(value("a\"\\]", abi::format_escape) == "a\\\"\\\\\\]");
  CHECK(value("a\r\n\tb\x7f", abi::format_field) == "a%0D%0A\tb%7F");
  CHECK(value("", 0) == "-");
  CHECK(value("", abi::format_quote) == "\"\"");
  CHECK(value("", abi::format_empty) == "");
  std::string hex;
  append_number(hex, 10, abi::format_hex);
  append_number(hex, 0x1abcd, abi::format_hex);
  CHECK(hex == "000A1ABCD");
}

}  // namespace
}  // namespace hawser::kernels
