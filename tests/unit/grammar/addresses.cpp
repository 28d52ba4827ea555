// Claims about addresses, durations and sizes.
#include <doctest/doctest.h>

#include "grammar/address_text.h"
#include "tests/unit/grammar/helper.h"

namespace hawser::grammar {
namespace {

using test::Config;
using test::word_of;
using Family = AddressSyntax::Family;
using Kind = AddressSyntax::Kind;
using PortKind = AddressSyntax::PortKind;

std::string show(const AddressSyntax& address) {
  static constexpr const char* kFamilies[] = {"",       "ipv4@", "ipv6@",     "unix@", "abns@",
                                              "abnsz@", "fd@",   "sockpair@", "ring@", "backend@"};
  static constexpr const char* kKinds[] = {"", "stream+", "dgram+", "quic+"};
  std::string out = kKinds[static_cast<int>(address.kind)];
  out += kFamilies[static_cast<int>(address.family)];
  out += "<" + address.host + ">";
  switch (address.port_kind) {
    case PortKind::none: break;
    case PortKind::single: out += fmt::format(" {}", address.port); break;
    case PortKind::range: out += fmt::format(" {}-{}", address.port, address.port_end); break;
    case PortKind::plus: out += fmt::format(" +{}", address.port); break;
    case PortKind::minus: out += fmt::format(" -{}", address.port); break;
  }
  return out;
}

std::string address(std::string_view text) {
  Config config("");
  const auto read = parse_address(word_of(text), config.diagnostics);
  return read ? show(*read) : config.messages();
}

std::string addresses(std::string_view text) {
  Config config("");
  const auto read = parse_addresses(word_of(text), config.diagnostics);
  if (!read) return config.messages();
  std::string out;
  for (const AddressSyntax& one : *read) out += show(one) + ";";
  return out;
}

TEST_CASE("the grammar of addresses has no loop without progress") { CHECK(analyze_address() == 0); }

TEST_CASE("the port is what follows the last colon outside brackets") {
  CHECK(address("1.2.3.4:80") == "<1.2.3.4> 80");
  CHECK(address(":::443") == "<::> 443");
  CHECK(address("2001:db8::1") == "<2001:db8:> 1");
  CHECK(address("[2001:db8::1]") == "<2001:db8::1>");
  CHECK(address("[::1]:80") == "<::1> 80");
  CHECK(address("[::1]80") == "<[::1]80>");
  CHECK(address("[::1") == "<[:> 1");
  CHECK(address("*:80") == "<*> 80");
  CHECK(address(":80") == "<> 80");
  CHECK(address("h:") == "<h>");
  CHECK(address("1.2.3.4:80:") == "<1.2.3.4:80>");
}

TEST_CASE("ports are numbers, ranges and offsets; what follows the number is ignored") {
  CHECK(address("h:80-82") == "<h> 80-82");
  CHECK(address("h:+80") == "<h> +80");
  CHECK(address("h:-80") == "<h> -80");
  CHECK(address("h:080x") == "<h> 80");
  CHECK(address("h:80-82-84") == "<h> 80-82");
  CHECK(address("h:80-") == "<h> 80-0");
  CHECK(address("h:+") == "<h> +0");
  CHECK(address("h:4294967376") == "<h> 80");
  CHECK(address("h:x") == "invalid character 'x' in port number 'x' in 'h:x'\n");
}

TEST_CASE("prefixes name family and kind") {
  CHECK(address("ipv4@:80") == "ipv4@<> 80");
  CHECK(address("ip@h:80") == "<h> 80");
  CHECK(address("tcp6@[::]:80") == "stream+ipv6@<::> 80");
  CHECK(address("udp@h:514") == "dgram+<h> 514");
  CHECK(address("quic4@:443") == "quic+ipv4@<> 443");
  CHECK(address("stream+fd@3") == "stream+fd@<3>");
  CHECK(address("/a:b") == "unix@</a:b>");
  CHECK(address("unix@a:1") == "unix@<a:1>");
  CHECK(address("uxdg@/x") == "dgram+unix@</x>");
  CHECK(address("abns@a:1") == "abns@<a:1>");
  CHECK(address("abnsz@") == "abnsz@<>");
  CHECK(address("ring@r") == "ring@<r>");
  CHECK(address("backend@b") == "backend@<b>");
}

TEST_CASE("an unknown prefix is part of the host") {
  CHECK(address("foo@1.2.3.4:80") == "<foo@1.2.3.4> 80");
  CHECK(address("IPV4@h:80") == "<IPV4@h> 80");
  CHECK(address("@:80") == "<@> 80");
}

TEST_CASE("a descriptor is a number") {
  CHECK(address("fd@x") == "file descriptor 'x' is not a valid integer in 'fd@x'\n");
  CHECK(address("sockpair@") == "file descriptor '' is not a valid integer in 'sockpair@'\n");
}

TEST_CASE("what HAProxy knows and we do not do is refused by name") {
  Config config("");
  CHECK(!parse_address(word_of("rhttp@x"), config.diagnostics));
  CHECK(config.diagnostics.all().at(0).unsupported);
  CHECK(config.messages() == "'rhttp@' is not supported by hawser yet\n");
}

TEST_CASE("bind takes a list, of which no element is empty but the last") {
  CHECK(addresses(":80,/x,[::1]:81,") == "<> 80;unix@</x>;<::1> 81;");
  CHECK(addresses(":80,,:81") == "'' resolves to an empty address (environment variable missing?)\n");
  CHECK(addresses("") == "'' resolves to an empty address (environment variable missing?)\n");
}

TEST_CASE("an address of a list knows its place") {
  Config config("");
  const auto read = parse_addresses(word_of(":80,h:x1"), config.diagnostics);
  CHECK(!read);
  CHECK(config.diagnostics.all()[0].span == Span{FileId(0), 1, 6, 2});
}

// "COUNT", "COUNT!JUNK", or "ERROR@AT".
std::string duration(std::string_view text, TimeUnit unit = TimeUnit::ms) {
  const auto read = parse_duration(text, unit);
  if (!read) return fmt::format("{}@{}", static_cast<int>(read.error().kind), read.error().at);
  return read->junk_at > 0 ? fmt::format("{}!{}", read->count, read->junk_at) : fmt::format("{}", read->count);
}

TEST_CASE("a duration counts in the unit that was asked for, rounded up") {
  CHECK(duration("1500") == "1500");
  CHECK(duration("2s") == "2000");
  CHECK(duration("1us") == "1");
  CHECK(duration("1001us") == "2");
  CHECK(duration("1d") == "86400000");
  CHECK(duration("1500ms", TimeUnit::s) == "2");
  CHECK(duration("05") == "5");
}

TEST_CASE("junk behind the unit is told, not refused") {
  CHECK(duration("5min") == "300000!2");
  CHECK(duration("5sx") == "5000!2");
  CHECK(duration("5msx") == "5!3");
}

TEST_CASE("what is no duration is told by kind and place") {
  const auto error = [](NumberError::Kind kind, int at) { return fmt::format("{}@{}", static_cast<int>(kind), at); };
  using K = NumberError::Kind;
  CHECK(duration("") == error(K::empty, 0));
  CHECK(duration("x") == error(K::not_a_number, 0));
  CHECK(duration("-5") == error(K::not_a_number, 0));
  CHECK(duration("1.5s") == error(K::unit, 1));
  CHECK(duration("10q") == error(K::unit, 2));
  CHECK(duration("5u") == error(K::unit, 1));
  CHECK(duration("5S") == error(K::unit, 1));
  CHECK(duration("2147483647") == "2147483647");
  CHECK(duration("2147483648") == error(K::overflow, 0));
  CHECK(duration("25d") == error(K::overflow, 0));
  CHECK(duration("99999999999999999999") == error(K::overflow, 0));
  CHECK(duration("9999999999999d") == error(K::overflow, 0));
}

TEST_CASE("sizes take one suffix, a power of 1024") {
  CHECK(parse_size("16384").value() == 16384);
  CHECK(parse_size("16k").value() == 16384);
  CHECK(parse_size("3G").value() == 3ULL << 30);
  CHECK(parse_size("5kb").error().at == 2);
  CHECK(parse_size("5x").error().at == 1);
  CHECK(parse_size("5+").error().kind == NumberError::Kind::unit);
  CHECK(parse_size("").error().kind == NumberError::Kind::empty);
  CHECK(parse_size("k").error().kind == NumberError::Kind::not_a_number);
  CHECK(parse_size("99999999999999999999").error().kind == NumberError::Kind::overflow);
  CHECK(parse_size("99999999999p").error().kind == NumberError::Kind::overflow);
}

}  // namespace
}  // namespace hawser::grammar
