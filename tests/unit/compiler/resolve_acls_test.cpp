// ACLs: criteria, methods, flags, patterns, conditions.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "compiler/resolve/patterns.h"
#include "tests/unit/compiler/resolve_helper.h"

namespace hawser::compiler {
namespace {

std::string acl_said(std::string_view test) { return Reading("acl a " + std::string(test)).said(); }

abi::Match match_of(std::string_view test) {
  const Reading reading("acl a " + std::string(test));
  REQUIRE(reading.said() == "");
  return reading.test("a").match;
}

std::pair<std::int64_t, std::int64_t> range_of(std::string_view patterns) {
  const Reading reading("acl a src_port " + std::string(patterns));
  REQUIRE(reading.said() == "");
  return {reading.pattern("a").low, reading.pattern("a").high};
}

std::string address_of(std::string_view pattern, bool resolve_names = false) {
  const auto read = read_address_pattern(pattern, resolve_names);
  if (!read) return read.error() == AddressProblem::mask_with_holes ? "unsupported" : "none";
  return read->address.to_string() + "/" + std::to_string(read->prefix_bits);
}

}  // namespace

TEST_CASE("a criterion's suffix is its method, until a converter or -m takes its place") {
  CHECK(match_of("path_beg /a") == abi::Match::begin);
  CHECK(match_of("hdr_end(host) .a") == abi::Match::end);
  CHECK(match_of("path_beg,lower /a") == abi::Match::string);
  CHECK(match_of("path_beg,length 3") == abi::Match::integer);
  CHECK(match_of("path_beg -m end /a") == abi::Match::end);
  CHECK(match_of("url_len 3") == abi::Match::length);
  CHECK(match_of("hdr_dom(host) example") == abi::Match::domain);
}

TEST_CASE("a criterion without a method has that of its type") {
  CHECK(match_of("src 10.0.0.0/8") == abi::Match::ip);
  CHECK(match_of("src_port 80") == abi::Match::integer);
  CHECK(match_of("path /a") == abi::Match::string);
  CHECK(match_of("always_true") == abi::Match::boolean);
  CHECK(acl_said("var(txn.a) x").find("matching method must be specified first (using '-m')") != std::string::npos);
}

TEST_CASE("the criterion hdr is the request's field, also in a response") {
  const Reading reading("http-response deny if { hdr(a) x }");
  CHECK(reading.said() ==
        "anonymous acl will never match because it uses keyword 'hdr' which is incompatible with 'frontend "
        "http-response header rule'\n");
  CHECK(!reading.diagnostics.has_fatal());
}

TEST_CASE("a method that the sample's type cannot take is refused") {
  CHECK(acl_said("method -m int 3").find("matching method 'int' cannot be used with fetch keyword 'method'") !=
        std::string::npos);
  CHECK(acl_said("always_true -m ip 1.1.1.1").find("cannot be used") != std::string::npos);
  CHECK(acl_said("src -m int 3") == "");
}

TEST_CASE("methods that are not carried out are refused by name") {
  for (const std::string_view test : {"base_reg x", "base_beg x"}) {
    const Reading reading("acl a " + std::string(test));
    REQUIRE(reading.diagnostics.all().size() == 1);
    CHECK(reading.diagnostics.all()[0].unsupported);
  }
}

TEST_CASE("an expression that PCRE2 does not take is refused at its byte") {
  const Reading reading("acl a path_reg x ^/(a b");
  CHECK(reading.said().find("regex '^/(a' is invalid (error=missing closing parenthesis, erroffset=4)") !=
        std::string::npos);
  const Reading early("acl a path -m reg -i x*+{");
  CHECK(early.said() == "");
  const Reading caret("acl a path_reg ab)c");
  CHECK(caret.pointed_at() == ")");
  const Reading removal("http-request del-header a( -m reg");
  CHECK(removal.said().find("regex 'a(' is invalid") != std::string::npos);
}

TEST_CASE("a pattern in parentheses behind a bare criterion is likely a mistake") {
  const auto warns = [](std::string_view test) {
    return Reading("acl a " + std::string(test)).said().find("is likely a mistake") != std::string::npos;
  };
  CHECK(warns("path (a)"));
  CHECK(warns("path_reg (a) b"));
  CHECK(warns("always_true (a)"));
  CHECK_FALSE(warns("path -- (a)"));
  CHECK_FALSE(warns("path -i (a)"));
  CHECK_FALSE(warns("path b (a)"));
  CHECK_FALSE(warns("hdr(a) (b)"));
}

TEST_CASE("-i of a method's own comparison leaves HTTP's methods as they are") {
  CHECK(Reading("acl a method -i mkcol").set("a").ignore_case);
  CHECK_FALSE(Reading("acl a method -i get").set("a").ignore_case);
  CHECK(Reading("acl a method -m str -i get").set("a").ignore_case);
}

TEST_CASE("-i holds for the set, -- ends the flags") {
  const Reading reading("acl a path -i -- -x -y");
  REQUIRE(reading.said() == "");
  CHECK(reading.set("a").ignore_case);
  CHECK(reading.pattern("a", 0).text == "-x");
  CHECK(reading.pattern("a", 1).text == "-y");
  CHECK(acl_said("path -q x").find("'-q' is not a valid ACL option.") != std::string::npos);
}

TEST_CASE("operators hold for the numbers that follow, and ranges have their own ends") {
  using Range = std::pair<std::int64_t, std::int64_t>;
  CHECK(range_of("80") == Range{80, 80});
  CHECK(range_of("ge 80") == Range{80, INT64_MAX});
  CHECK(range_of("gt 80") == Range{81, INT64_MAX});
  CHECK(range_of("le 80") == Range{INT64_MIN, 80});
  CHECK(range_of("lt 80") == Range{INT64_MIN, 79});
  CHECK(range_of("80:90") == Range{80, 90});
  CHECK(range_of(":90") == Range{INT64_MIN, 90});
  CHECK(range_of("80:") == Range{80, INT64_MAX});
  CHECK(range_of("gt 80:90") == Range{80, 90});
  CHECK(range_of("ge 1.7") == Range{1, INT64_MAX});
  CHECK(range_of("-- -5") == Range{INT64_MIN, 5});
  CHECK(range_of("ge 3-5") == Range{3, 5});
  CHECK(range_of("3-") == Range{3, INT64_MAX});
  CHECK(range_of(":-5") == Range{INT64_MIN, -5});
  CHECK(range_of("80-90") == Range{80, 90});
  CHECK(range_of("-- --5") == Range{INT64_MIN, -5});
  CHECK(Reading("acl a src_port lt 1.7").pattern("a", 0).text == ":0");
  const Reading two("acl a src_port ge 3 lt 2");
  CHECK(two.pattern("a", 1).high == 1);
}

TEST_CASE("what is no number is refused") {
  CHECK(acl_said("src_port x").find("'x' is not a number.") != std::string::npos);
  CHECK(acl_said("src_port 5:3").find("'5:3' is not a valid number range.") != std::string::npos);
  CHECK(acl_said("src_port ge x").find("'x' is neither a number nor a supported operator.") != std::string::npos);
  CHECK(acl_said("src_port -- -9:-5").find("'-9:-5' is not a valid number range.") != std::string::npos);
  CHECK(acl_said("src_port 1.1").find("'1.1' is not a number.") != std::string::npos);
}

TEST_CASE("an address pattern keeps its network alone") {
  CHECK(address_of("192.0.2.1") == "192.0.2.1/32");
  CHECK(address_of("192.0.2.77/24") == "192.0.2.0/24");
  CHECK(address_of("192.0.2.77/255.255.255.240") == "192.0.2.64/28");
  CHECK(address_of("192.0.2.77/0") == "0.0.0.0/0");
  CHECK(address_of("2001:db8::1/32") == "2001:db8::/32");
  CHECK(address_of("::1") == "::1/128");
  // Without -n, numbers are read as the C library reads a name.
  CHECK(address_of("10.1", true) == "10.0.0.1/32");
  CHECK(address_of("010.0.0.1", true) == "8.0.0.1/32");
  CHECK(address_of("10.1") == "none");
}

TEST_CASE("what is no address is refused, a mask with holes as not supported") {
  for (const std::string_view text :
       {"300.1.1.1", "10.0.0.0/33", "10.0.0.0/", "::1/129", "1.2.3.4/8x", "[::1]", "*", "", "1.2.3.4.5"}) {
    CHECK_MESSAGE(address_of(text) == "none", text);
  }
  CHECK(address_of("10.0.0.0/255.0.255.0") == "unsupported");
}

TEST_CASE("host names are looked up unless -n is given") {
  CHECK(acl_said("src localhost") == "");
  CHECK(acl_said("src -n localhost").find("'localhost' is not a valid IPv4 or IPv6 address.") != std::string::npos);
}

TEST_CASE("a pattern file holds one pattern a line, and its mistakes name file and line") {
  std::string path = "/tmp/hawser-patterns-XXXXXX";
  ::close(::mkstemp(path.data()));
  std::ofstream(path) << "# comment\n\n  /a b\r\n/c\n";
  const Reading reading("acl a path -i -f " + path + " /d");
  REQUIRE(reading.said() == "");
  CHECK(reading.set("a").reference == path);
  REQUIRE(reading.set("a").patterns.size() == 3);
  CHECK(reading.pattern("a", 0).text == "/a b");
  CHECK(reading.pattern("a", 2).text == "/d");
  CHECK(acl_said("src_port -f " + path).find("'/a b' is not a number at line 3 of file '" + path + "'.") !=
        std::string::npos);
  ::unlink(path.c_str());
  CHECK(acl_said("path -f " + path).find("failed to open pattern file <" + path + ">.") != std::string::npos);
}

TEST_CASE("-i behind a pattern file does not change what the file says") {
  std::string path = "/tmp/hawser-patterns-XXXXXX";
  ::close(::mkstemp(path.data()));
  std::ofstream(path) << "/a" << '\0' << "b\n/c\n";
  CHECK(Reading("acl a path -i -f " + path + " /d").set("a").ignore_case);
  const Reading behind("acl a path -f " + path + " -i");
  CHECK_FALSE(behind.set("a").ignore_case);
  CHECK(behind.pattern("a", 0).text == "/a");
  CHECK(acl_said("path -f " + path + " -i /d").find("'-i' between patterns is not supported") != std::string::npos);
  CHECK(acl_said("src_port -f /dev/null -i 5") == "");
  ::unlink(path.c_str());
}

TEST_CASE("a name's tests are one ACL, and each has a set of its own in the order of the file") {
  const Reading reading("acl a path /x\nacl b src 10.0.0.1\nacl a path_beg /y");
  REQUIRE(reading.said() == "");
  CHECK(reading.config.acls.size() == 2);
  CHECK(reading.test("a", 0).set.index == 0);
  CHECK(reading.test("b").set.index == 1);
  CHECK(reading.test("a", 1).set.index == 2);
  CHECK(reading.set("a", 1).acl_name == "a");
}

TEST_CASE("a condition is a disjunction of conjunctions of names and anonymous tests") {
  const Reading reading("acl a path /x\nhttp-request deny unless a !METH_GET or { src 10.0.0.1 } || !!TRUE");
  REQUIRE(reading.said() == "");
  const model::Condition& condition = *reading.request_rules().at(0).condition;
  CHECK(condition.unless);
  REQUIRE(condition.any_of.size() == 3);
  REQUIRE(condition.any_of[0].size() == 2);
  CHECK(!condition.any_of[0][0].negated);
  CHECK(condition.any_of[0][1].negated);
  CHECK(reading.config.acls[condition.any_of[0][1].acl].predefined);
  CHECK(reading.config.acls[condition.any_of[1][0].acl].name.empty());
  CHECK(!condition.any_of[2][0].negated);
}

TEST_CASE("HAProxy's own ACLs are made once, and a proxy's ACL of the name goes before") {
  const Reading reading(
      "http-request deny if METH_GET\nhttp-request deny if METH_GET TRUE\nacl TRUE path /x\nhttp-request "
      "deny if TRUE");
  REQUIRE(reading.said() == "");
  CHECK(reading.config.acls.size() == 3);
  CHECK(reading.request_rules()[2].condition->any_of[0][0].acl == reading.proxy().acls.find("TRUE")->second);
}

TEST_CASE("an ACL that is not there is named, with a guess") {
  const Reading reading("acl office src 10.0.0.1\nhttp-request deny if ofice");
  CHECK(reading.said() == "error detected while parsing an 'http-request deny' condition : no such ACL : 'ofice'.\n");
  CHECK(reading.diagnostics.all()[0].hint == "did you mean 'office'?");
  CHECK(reading.pointed_at() == "ofice");
}

TEST_CASE("the first ACL that cannot match is warned of, by how much of it cannot") {
  CHECK(Reading("acl a status 200\nacl b status 404\nhttp-request deny if a b").said() ==
        "acl 'a' will never match because it only involves keywords that are incompatible with 'frontend "
        "http-request header "
        "rule'\n");
  CHECK(Reading("acl a path /x\nacl a status 200\nhttp-request deny if a").said() ==
        "acl 'a' involves keywords 'status' which is incompatible with 'frontend http-request header rule'\n");
  CHECK(
      Reading("http-response deny if { path /x }", "backend app").said().find("'backend http-response header rule'") !=
      std::string::npos);
}

TEST_CASE("a name of forbidden bytes, and 'or', name no ACL") {
  CHECK(Reading("acl a! path /").said() == "character '!' is not permitted in acl name 'a!'.\n");
  CHECK(Reading("acl or path /").diagnostics.has_fatal());
  CHECK(Reading("acl a-b.c:d_1 path /").said() == "");
}

}  // namespace hawser::compiler
