// A damaged Program is refused, or runs to an end; the fuzz target `program` says the same of more of them.
#include <doctest/doctest.h>

#include <cstring>

#include "tests/support/compile_text.h"
#include "tests/support/run_all.h"

namespace hawser::compiler {
namespace {

TEST_CASE("whatever byte of a program is changed, it is refused or runs to an end") {
  const test::Running running(test::http_config(
      "frontend f\n  bind :80\n  http-request set-var(txn.a) req.hdr(x),word(1,b,2)\n"
      "  http-request set-header y %[var(txn.a),add(1)]%ci if { hdr(x) -i a b } or { src 192.0.2.0/24 }\n"
      "  http-request redirect prefix http://h if { path_beg /a }\n  use_backend %[path] if { cook(c) -m found }\n"
      "  log-format %r%ST\nbackend b\n"));
  REQUIRE(running.wrong == "");
  std::vector<std::byte> bytes = running.program.bytes();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::byte before = bytes[at];
    for (const int flip : {0x01, 0x80, 0xff}) {
      bytes[at] = before ^ static_cast<std::byte>(flip);
      if (!test::run_all(abi::ImageView(bytes))) ++refused;
    }
    bytes[at] = before;
  }
  CHECK(refused > bytes.size() / 10);
  CHECK(test::run_all(abi::ImageView(bytes)));
}

TEST_CASE("a truncated program is refused") {
  const test::Running running(test::http_config("frontend f\n  bind :80\n  http-request deny if { path /a }\n"));
  REQUIRE(running.wrong == "");
  const std::vector<std::byte>& bytes = running.program.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(abi::verify(abi::ImageView(std::span(bytes.data(), size))) != "");
  }
}

}  // namespace
}  // namespace hawser::compiler
