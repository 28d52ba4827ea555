// The printed IR: what is printed can be read back, and is the same module.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "runtime/base/file.h"
#include "tests/support/compile_text.h"

namespace hawser::compiler {
namespace {

std::string message(std::string_view text) {
  const auto parsed = ir::parse(text);
  const auto* error = std::get_if<ir::ParseError>(&parsed);
  return error == nullptr ? "" : fmt::format("{}: {}", error->line, error->text);
}

// Prints, parses and prints again; the second module is finalised to the same Program.
void check_round_trip(const ir::Module& module) {
  CHECK(ir::verify(module) == "");
  const std::string text = ir::print(module);
  auto parsed = ir::parse(text);
  INFO(message(text));
  REQUIRE(std::holds_alternative<ir::Module>(parsed));
  const ir::Module& again = std::get<ir::Module>(parsed);
  CHECK(ir::print(again) == text);
  CHECK(ir::verify(again) == "");
  CHECK(finalise(again).bytes() == finalise(module).bytes());
}

TEST_CASE("the IR of every configuration of the tests is printed, parsed and printed to the same") {
  std::size_t compared = 0;
  const std::filesystem::path tests = HAWSER_TESTS_DIR;
  for (const std::filesystem::path& folder : {tests / "golden", tests.parent_path() / "examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cfg") continue;
      INFO(entry.path().string());
      const Result<std::string> text = read_whole_file(entry.path().string());
      REQUIRE(text);
      const auto compiled = test::compile_text(*text, {.look_up_names = false});
      if (!compiled->ok()) continue;
      check_round_trip(lower(*compiled->compiled.config));
      ++compared;
    }
  }
  CHECK(compared > 30);
}

TEST_CASE("every kind of instruction and end is printed and parsed") {
  const char* text =
      "proxy 0 \"f \\\"\\x0a\"\nproxy 1 \"b\"\nreplies 3\n"
      "set #0 str -i acl \"a\" file \"/f\" {\n  \"x\" line 3\n}\n"
      "set #1 ip acl \"\" file \"\" {\n  \"10.0.0.0/8\" address 10.0.0.0/8 line 4\n  \"::\" address ::/128 line 5\n}\n"
      "set #2 int acl \"\" file \"\" {\n  \"1:2\" range 1..2 line 0\n}\n"
      "set #3 beg nameless acl \"\" file \"\" {\n}\n"
      "redirect 0 prefix 301 drop-query append-slash clear-cookie cookie \"c\"\n"
      "function 0 content {\n"
      "b0:\n  match req.hdr(\"host\",-1),word(1,\".\",-),add(txn.n) str #0\n  r0 = keep\n  absorb_or r0\n"
      "  absorb_and r0\n  negate\n  suspend\n  branch no|yes b2 else b1\n"
      "b1:\n  need b0\n"
      "b2:\n  next\n"
      "}\n"
      "function 0 http_request {\n"
      "b0:\n  clear\n  r0 = sample path\n  match_register r0 found\n  branch never b1 else b2\n"
      "b1:\n  r1 = constant \"a\"\n  reply_field r1\n  reply_body r1\n  reply return 2\n"
      "b2:\n  r2 = constant -5\n  act set-var r2 sess.x.y\n  act del-header field \"n\"\n  act del-header #3\n"
      "  act set-header r0 field \"n\"\n  jump b3\n"
      "b3:\n  text_begin\n  text_constant \"t\"\n  text_sample r0 +Q +field\n  r3 = text_end\n  redirect r3 0\n"
      "}\n"
      "function 0 choose_backend {\n"
      "b0:\n  select {\n    hdr(\"host\",-) str #0 -> b2\n    src ip #1 -> b2\n  } else b1\n"
      "b1:\n  select_backend {\n    path beg #3 -> 1\n  } else b3\n"
      "b2:\n  match src_port int #2\n  branch no|? b4 else b5\n"
      "b3:\n  r0 = sample path\n  use_backend_named r0\n"
      "b4:\n  again b0\n"
      "b5:\n  use_backend 1\n"
      "}\n"
      "function 0 http_response {\n"
      "b0:\n  match hdr(\"x\",-)@response,lower found\n  stop\n"
      "}\n"
      "function 0 log {\n"
      "b0:\n  text_begin\n  text_alias %ci +X +E +M\n  text_separator\n  emit\n"
      "}\n";
  CHECK(message(text) == "");
  const auto parsed = ir::parse(text);
  REQUIRE(std::holds_alternative<ir::Module>(parsed));
  CHECK(ir::print(std::get<ir::Module>(parsed)) == text);
  CHECK(ir::verify(std::get<ir::Module>(parsed)) == "");
  CHECK(abi::verify(finalise(std::get<ir::Module>(parsed)).view()) == "");
}

TEST_CASE("a text that is no IR is refused with its line") {
  CHECK(message("proxy 1 \"f\"\n") == "1: number 0 is expected");
  CHECK(message("proxy 0 \"f\n") == "1: a text has no end");
  CHECK(message("proxy 0 \"f\" x\n") == "1: something stands behind the end of the line");
  CHECK(message("what\n") == "1: a proxy, replies, a reference, a set, a redirect or a function is expected");
  const std::string head = "proxy 0 \"f\"\nfunction 0 log {\n";
  CHECK(message("function 0 log {\n") == "1: there is no number 0 here");
  CHECK(message(head) == "2: a list has no end");
  CHECK(message(head + "b0:\n") == "3: a block has no terminator");
  CHECK(message(head + "b1:\n  next\n}\n") == "3: number 0 is expected");
  CHECK(message(head + "b0:\n  jump b7\n}\n") == "5: the function of line 2 has no block b7");
  CHECK(message(head + "b0:\n  r0 = next\n}\n") == "4: a terminator has no result");
  CHECK(message(head + "b0:\n  sample path\n  next\n}\n") == "4: a result stands where none is, or lacks");
  CHECK(message(head + "b0:\n  match nothing found\n  next\n}\n") == "4: a fetch is expected");
  CHECK(message(head + "b0:\n  match hdr found\n  next\n}\n") == "4: '(' is expected");
  CHECK(message(head + "b0:\n  match path,upper2 found\n  next\n}\n") == "4: a converter is expected");
  CHECK(message(head + "b0:\n  match path str #0\n  next\n}\n") == "4: there is no number 0 here");
  CHECK(message(head + "b0:\n  r9999999 = keep\n  next\n}\n") == "4: there is no number 9999999 here");
  CHECK(message(head + "b0:\n  text_constant \"\\q\"\n  next\n}\n") == "4: an escape is unknown");
}

TEST_CASE("equal expressions are one, whatever line they are of") {
  const auto compiled = test::compile_text(test::http_config(
      "frontend f\n  bind :80\n  acl a hdr(Host) -i x\n  acl b hdr(host) -m beg y\n"
      "  http-request deny if a b { hdr(host),lower -m found }\n  use_backend f2 if a\nbackend f2\n"));
  REQUIRE(compiled->ok());
  const ir::Module module = lower(*compiled->compiled.config);
  CHECK(module.expressions() == 2);
}

}  // namespace
}  // namespace hawser::compiler
