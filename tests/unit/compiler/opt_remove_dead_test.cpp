// What is never reached or never used.
#include "tests/unit/compiler/opt_helper.h"

namespace hawser::test {
namespace {

std::string live(const std::string& blocks, const std::string& point = "http_request") {
  return after(opt::remove_dead, blocks, point);
}

TEST_CASE("rules behind an end are gone") {
  CHECK(live("b0:\n  stop\nb1:\n  match path beg #5\n  branch no|? b3 else b2\nb2:\n  stop\nb3:\n  next\n") ==
        "b0:\n  stop\n");
}

TEST_CASE("values, and texts with all that only they need, are gone when nobody reads them") {
  CHECK(live("b0:\n  r0 = sample path\n  text_begin\n  text_constant \"a\"\n  text_sample r0\n  r1 = text_end\n"
             "  r2 = constant \"b\"\n  act set-header r2 field \"x\"\n  next\n") ==
        "b0:\n  r2 = constant \"b\"\n  act set-header r2 field \"x\"\n  next\n");
}

TEST_CASE("the text of a log line is read by its end") {
  const std::string line = "b0:\n  text_begin\n  text_constant \"a\"\n  emit\n";
  CHECK(live(line, "log") == line);
}

TEST_CASE("a test that decides nothing is gone, and blocks with one way are one") {
  CHECK(live("b0:\n  match path beg #5\n  branch no|? b1 else b2\nb1:\n  jump b3\nb2:\n  jump b3\nb3:\n"
             "  act del-header field \"x\"\n  jump b4\nb4:\n  next\n") ==
        "b0:\n  act del-header field \"x\"\n  next\n");
}

TEST_CASE("a test that another block asks about stays") {
  const std::string blocks =
      "b0:\n  match path beg #5\n  branch yes b2 else b1\nb1:\n  match src ip #6\n  jump b2\n"
      "b2:\n  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n";
  CHECK(live(blocks) == blocks);
}

TEST_CASE("a select that is come back to stays the end of its block") {
  const std::string blocks =
      "b0:\n  act del-header field \"x\"\n  jump b1\nb1:\n  select {\n    path beg #5 -> b2\n  } else b3\n"
      "b2:\n  act del-header field \"y\"\n  again b1\nb3:\n  next\n";
  CHECK(live(blocks) == blocks);
}

}  // namespace
}  // namespace hawser::test
