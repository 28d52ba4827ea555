// Values that are used again.
#include "tests/unit/compiler/opt_helper.h"

namespace hawser::test {
namespace {

std::string once(const std::string& blocks) { return after(opt::fetch_once, blocks); }

std::string set_header(int reg) { return "  act set-header r" + std::to_string(reg) + " field \"x\"\n"; }

TEST_CASE("a value that nothing has written is fetched once, on all ways to its use") {
  CHECK(once("b0:\n  r0 = sample path\n  match src ip #6\n  branch no|? b2 else b1\nb1:\n  r1 = sample path\n" +
             set_header(1) + "  jump b2\nb2:\n  r2 = sample path\n" + set_header(2) + "  next\n") ==
        "b0:\n  r0 = sample path\n  match src ip #6\n  branch no|? b2 else b1\nb1:\n" + set_header(0) +
            "  jump b2\nb2:\n" + set_header(0) + "  next\n");
}

TEST_CASE("a value of one way alone is fetched on the other") {
  const std::string blocks = "b0:\n  match src ip #6\n  branch no|? b2 else b1\nb1:\n  r0 = sample path\n" +
                             set_header(0) + "  jump b2\nb2:\n  r1 = sample path\n" + set_header(1) + "  next\n";
  CHECK(once(blocks) == blocks);
}

TEST_CASE("what an action writes is fetched again, and what it does not is not") {
  CHECK(once("b0:\n  r0 = sample hdr(\"y\",-)\n  r1 = sample path\n" + set_header(0) + set_header(1) +
             "  r2 = sample hdr(\"y\",-)\n  r3 = sample path\n" + set_header(2) + set_header(3) + "  next\n") ==
        "b0:\n  r0 = sample hdr(\"y\",-)\n  r1 = sample path\n" + set_header(0) + set_header(1) +
            "  r2 = sample hdr(\"y\",-)\n" + set_header(2) + set_header(1) + "  next\n");
}

TEST_CASE("tests of a value without occurrences share it, those of one with occurrences do not") {
  CHECK(once("b0:\n  match path beg #5\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n  match path str #0\n"
             "  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n") ==
        "b0:\n  r0 = sample path\n  match_register r0 beg #5\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n"
        "  match_register r0 str #0\n  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n");
  const std::string many =
      "b0:\n  match hdr(\"y\",-) beg #5\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n"
      "  match hdr(\"y\",-) str #0\n  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n";
  CHECK(once(many) == many);
}

TEST_CASE("a test that casts looks for itself") {
  const std::string blocks =
      "b0:\n  match src str #0\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n  match src str #1\n"
      "  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n";
  CHECK(once(blocks) == blocks);
}

TEST_CASE("a variable is another one behind a loop that sets it") {
  const std::string blocks =
      "b0:\n  r0 = sample var(txn.v,-)\n" + set_header(0) +
      "  jump b1\nb1:\n  select {\n    path beg #5 -> b2\n  } else b3\nb2:\n  r1 = sample var(txn.v,-)\n" +
      set_header(1) + "  act set-var r1 txn.v\n  again b1\nb3:\n  r2 = sample var(txn.v,-)\n" + set_header(2) +
      "  next\n";
  CHECK(once(blocks) == blocks);
}

}  // namespace
}  // namespace hawser::test
