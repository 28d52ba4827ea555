// What is known on the way to a test.
#include "tests/unit/compiler/opt_helper.h"

namespace hawser::test {
namespace {

std::string thread(const std::string& blocks, const std::string& point = "http_request") {
  return after(opt::thread_branches, blocks, point);
}

const std::string kHost = "  match hdr(\"host\",-) str #0\n";
const std::string kPath = "  match path beg #5\n";

TEST_CASE("an answer that was given on the way is not asked for again") {
  CHECK(thread("b0:\n" + kHost + "  branch no|? b2 else b1\nb1:\n" + kPath + "  branch no|? b2 else b3\n" +  //
               "b2:\n" + kHost +
               "  branch no|? b5 else b4\nb3:\n  stop\nb4:\n  act del-header field \"y\"\n  jump b5\n" +
               "b5:\n  next\n") ==  //
        "b0:\n" + kHost + "  branch no|? b4 else b1\nb1:\n" + kPath +
            "  branch no|? b3 else b2\nb2:\n  stop\nb3:\n  act del-header field \"y\"\n  jump b4\nb4:\n  next\n");
}

TEST_CASE("what was written on the way may answer otherwise") {
  const std::string blocks = "b0:\n" + kHost +
                             "  branch no|? b2 else b1\nb1:\n  act del-header field \"host\"\n  jump b2\n" + "b2:\n" +
                             kHost + "  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n";
  // Where the answer was no nothing is written.
  CHECK(thread(blocks) == "b0:\n" + kHost +
                              "  branch no|? b4 else b1\nb1:\n  act del-header field \"host\"\n  jump b2\n" + "b2:\n" +
                              kHost + "  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n");
  const std::string variable =
      "b0:\n  match path beg #5\n  branch no|? b2 else b1\nb1:\n  r0 = constant \"x\"\n"
      "  act set-var r0 txn.v\n  jump b2\nb2:\n  match path beg #5\n  branch no|? b4 else b3\n"
      "b3:\n  stop\nb4:\n  next\n";
  CHECK(thread(variable).find("jump b2") != std::string::npos);  // the variable is another thing than the path
}

TEST_CASE("two answers that lead to one place are known no more behind it") {
  const std::string blocks = "b0:\n" + kHost +
                             "  branch no|? b1 else b2\nb1:\n  act del-header field \"y\"\n  jump b3\n" +
                             "b2:\n  act del-header field \"z\"\n  jump b3\nb3:\n  act del-header field \"w\"\n" +
                             kHost + "  branch no|? b5 else b4\nb4:\n  stop\nb5:\n  next\n";
  CHECK(thread(blocks) == blocks);
}

TEST_CASE("a branch on a condition that is known is gone") {
  CHECK(thread("b0:\n  clear\n  negate\n  branch yes b1 else b2\nb1:\n  stop\nb2:\n  next\n") ==
        "b0:\n  clear\n  negate\n  jump b1\nb1:\n  stop\n");
  CHECK(thread("b0:\n" + kHost + "  branch yes b2 else b1\nb1:\n" + kPath +
               "  jump b2\nb2:\n  branch no|? b4 else b3\n" + "b3:\n  stop\nb4:\n  next\n") ==
        "b0:\n" + kHost + "  branch yes b3 else b1\nb1:\n" + kPath +
            "  jump b2\nb2:\n  branch no|? b4 else b3\nb3:\n  stop\nb4:\n  next\n");
}

TEST_CASE("a negated answer is known as well") {
  CHECK(thread("b0:\n" + kHost + "  negate\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n" + kHost +
               "  branch no|? b4 else b3\nb3:\n  act del-header field \"y\"\n  next\nb4:\n  next\n") ==
        "b0:\n" + kHost +
            "  negate\n  branch no|? b2 else b1\nb1:\n  stop\nb2:\n  act del-header field \"y\"\n  next\n");
}

TEST_CASE("what was not known before a wait is asked again behind it") {
  const std::string blocks = "b0:\n" + kPath +
                             "  branch no|yes b2 else b1\nb1:\n  need b0\nb2:\n  branch no b4 else b3\n" +
                             "b3:\n  stop\nb4:\n  next\n";
  CHECK(thread(blocks, "content").find("need b0") != std::string::npos);
}

}  // namespace
}  // namespace hawser::test
