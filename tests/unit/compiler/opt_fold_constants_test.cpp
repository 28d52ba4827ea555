// What the configuration alone decides.
#include "tests/unit/compiler/opt_helper.h"

namespace hawser::test {
namespace {

std::string fold(const std::string& blocks, const std::string& point = "http_request") {
  return after(opt::fold_constants, blocks, point);
}

TEST_CASE("a test of a constant by found or boolean is its answer") {
  CHECK(fold("b0:\n  match always_true bool\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n") ==
        "b0:\n  clear\n  negate\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n");
  CHECK(fold("b0:\n  match bool(0) bool\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n") ==
        "b0:\n  clear\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n");
  CHECK(fold("b0:\n  match int(3),sub(3) bool\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n") ==
        "b0:\n  clear\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n");
  CHECK(fold("b0:\n  match str(\"a\"),field(2,\".\",-) found\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n") ==
        "b0:\n  clear\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n");
}

TEST_CASE("a set may change at run time: no test against one is folded, though it is empty") {
  for (const char* test : {"match str(\"v0\") str #0", "match str(\"v0\") str #4", "match int(5) int #7"}) {
    const std::string blocks = std::string("b0:\n  ") + test + "\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n";
    CHECK(fold(blocks) == blocks);
  }
}

TEST_CASE("a converter with a variable is not worked out") {
  const std::string blocks = "b0:\n  match int(3),add(txn.n) bool\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n";
  CHECK(fold(blocks) == blocks);
}

TEST_CASE("more data may come where wait_end is asked before the end, and not elsewhere") {
  const std::string http = "b0:\n  match wait_end bool\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n";
  CHECK(fold(http).find("wait_end") == std::string::npos);
  CHECK(fold(http, "content") == http);
}

TEST_CASE("constant parts of a text become one constant, and a text of nothing else is one") {
  CHECK(fold("b0:\n  text_begin\n  text_constant \"a\"\n  r0 = sample str(\"b\"),upper\n  text_sample r0\n"
             "  text_constant \"c\"\n  r1 = text_end\n  act set-header r1 field \"x\"\n  next\n") ==
        "b0:\n  r0 = constant \"B\"\n  r1 = constant \"aBc\"\n  act set-header r1 field \"x\"\n  next\n");
  CHECK(fold("b0:\n  text_begin\n  text_constant \"a\"\n  r0 = sample int(7)\n  text_sample r0\n  r1 = sample path\n"
             "  text_sample r1\n  r2 = text_end\n  act set-header r2 field \"x\"\n  next\n") ==
        "b0:\n  r0 = constant 7\n  text_begin\n  text_constant \"a7\"\n  r1 = sample path\n  text_sample r1\n"
        "  r2 = text_end\n  act set-header r2 field \"x\"\n  next\n");
}

TEST_CASE("a separator between constants is a blank, and one between others is left") {
  CHECK(fold("b0:\n  text_begin\n  text_constant \"a\"\n  text_separator\n  text_constant \"b\"\n  text_separator\n"
             "  text_alias %ci\n  emit\n",
             "log") == "b0:\n  text_begin\n  text_constant \"a b\"\n  text_separator\n  text_alias %ci\n  emit\n");
}

TEST_CASE("a boolean stays a sample: a variable keeps its type") {
  const std::string blocks = "b0:\n  r0 = sample always_true\n  act set-var r0 txn.b\n  next\n";
  CHECK(fold(blocks) == blocks);
}

}  // namespace
}  // namespace hawser::test
