// Runs of tests as one look-up: what becomes of each shape of rules. opt_random_test.cpp runs them.
#include "tests/unit/compiler/opt_helper.h"

namespace hawser::test {
namespace {

std::string merge(const std::string& blocks, const std::string& point = "http_request") {
  return after(opt::merge_tests, blocks, point);
}

// A block that tests the host against a set.
std::string host(int block, int set, int otherwise, int then) {
  return "b" + std::to_string(block) + ":\n  match hdr(\"host\",-) str #" + std::to_string(set) + "\n  branch no|? b" +
         std::to_string(otherwise) + " else b" + std::to_string(then) + "\n";
}
std::string method(int block, int otherwise, int then) {
  return "b" + std::to_string(block) + ":\n  match method str #0\n  branch no|? b" + std::to_string(otherwise) +
         " else b" + std::to_string(then) + "\n";
}
std::string path(int block, int otherwise, int then) {
  return "b" + std::to_string(block) + ":\n  match path beg #5\n  branch no|? b" + std::to_string(otherwise) +
         " else b" + std::to_string(then) + "\n";
}
// One that does something and goes on, and one that ends.
std::string act(int block, int next) {
  return "b" + std::to_string(block) + ":\n  act del-header field \"host\"\n  jump b" + std::to_string(next) + "\n";
}
std::string stop(int block) { return "b" + std::to_string(block) + ":\n  stop\n"; }
std::string backend(int block, int number) {
  return "b" + std::to_string(block) + ":\n  use_backend " + std::to_string(number) + "\n";
}
std::string next(int block) { return "b" + std::to_string(block) + ":\n  next\n"; }

std::string look(int set, const std::string& to) {
  return "    hdr(\"host\",-) str #" + std::to_string(set) + " -> " + to + "\n";
}

TEST_CASE("a list of use_backend becomes one step") {
  CHECK(merge(host(0, 0, 2, 1) + backend(1, 1) + host(2, 1, 4, 3) + backend(3, 2) + host(4, 2, 6, 5) + backend(5, 3) +
                  host(6, 3, 8, 7) + backend(7, 1) + next(8),
              "choose_backend") == "b0:\n  select_backend {\n" + look(0, "1") + look(1, "2") + look(2, "3") +
                                       look(3, "1") + "  } else b1\n" + next(1));
}

TEST_CASE("where another term fails or an action goes on, the select looks on behind its case") {
  CHECK(merge(host(0, 0, 3, 1) + method(1, 3, 2) + stop(2) + host(3, 1, 5, 4) + act(4, 5) + host(5, 2, 7, 6) +
              act(6, 7) + host(7, 3, 9, 8) + stop(8) + next(9)) ==
        "b0:\n  select {\n" + look(0, "b1") + look(1, "b3") + look(2, "b4") + look(3, "b5") + "  } else b6\n" +
            method(1, 7, 2) + stop(2) + act(3, 7) + act(4, 7) + stop(5) + next(6) + "b7:\n  again b0\n");
}

TEST_CASE("several tests of one rule are one case, that is looked behind as a whole") {
  CHECK(merge(host(0, 0, 1, 3) + host(1, 1, 2, 3) + host(2, 2, 5, 4) + act(3, 2) + stop(4) + host(5, 3, 7, 6) +
              stop(6) + next(7)) == "b0:\n  select {\n" + look(0, "b1") + look(1, "b1") + look(2, "b2") +
                                        look(3, "b3") + "  } else b4\n" + act(1, 5) + stop(2) + stop(3) + next(4) +
                                        "b5:\n  again b0\n");
}

TEST_CASE("a way into the middle of a run begins a select of its own") {
  const std::string before = method(0, 2, 1) + "b1:\n  act del-header field \"y\"\n  jump b10\n";
  CHECK(merge(before + host(2, 0, 4, 3) + stop(3) + host(4, 1, 6, 5) + stop(5) + host(6, 2, 8, 7) + stop(7) +
              host(8, 3, 10, 9) + stop(9) + host(10, 0, 12, 11) + stop(11) + host(12, 5, 14, 13) + stop(13) +
              next(14)) == method(0, 2, 1) + "b1:\n  act del-header field \"y\"\n  jump b7\nb2:\n  select {\n" +
                               look(0, "b3") + look(1, "b4") + look(2, "b5") + look(3, "b6") + "  } else b7\n" +
                               stop(3) + stop(4) + stop(5) + stop(6) + "b7:\n  select {\n" + look(0, "b8") +
                               look(5, "b9") + "  } else b10\n" + stop(8) + stop(9) + next(10));
}

TEST_CASE("a test that decides nothing does not come between: what follows it is not come to by its case alone") {
  // b2 leads to b4 whatever its answer is.
  CHECK(merge(host(0, 5, 2, 1) + stop(1) + host(2, 0, 3, 3) + host(3, 1, 5, 4) + act(4, 5) + host(5, 5, 7, 6) +
              stop(6) + next(7)) == "b0:\n  select {\n" + look(5, "b1") + look(0, "b2") + "  } else b2\n" + stop(1) +
                                        "b2:\n  select {\n" + look(1, "b3") + look(5, "b4") + "  } else b5\n" +
                                        act(3, 6) + stop(4) + next(5) + "b6:\n  again b2\n");
}

TEST_CASE("a look-up within the case of another one may go back to that one") {
  CHECK(merge(host(0, 0, 3, 1) + path(1, 3, 2) + stop(2) + host(3, 5, 5, 4) + act(4, 5) + next(5)) ==
        "b0:\n  select {\n" + look(0, "b1") + look(5, "b3") + "  } else b4\nb1:\n  select {\n    path beg #5 -> b2\n" +
            "  } else b5\n" + stop(2) + act(3, 4) + next(4) + "b5:\n  again b0\n");
}

TEST_CASE("values that are tested in turn are looked up side by side") {
  const auto cookie = [](int block, int set, int otherwise, int then) {
    return "b" + std::to_string(block) + ":\n  match cook(\"c\") str #" + std::to_string(set) + "\n  branch yes b" +
           std::to_string(then) + " else b" + std::to_string(otherwise) + "\n";
  };
  std::string blocks;
  for (int at = 0; at < 4; ++at) {
    blocks += host(4 * at, at, 4 * at + 2, 4 * at + 1) + stop(4 * at + 1);
    blocks += cookie(4 * at + 2, at, 4 * at + 4, 4 * at + 3) + stop(4 * at + 3);
  }
  std::string cases;
  for (int at = 0; at < 4; ++at) {
    cases += look(at, "b" + std::to_string(2 * at + 1));
    cases += "    cook(\"c\") str #" + std::to_string(at) + " -> b" + std::to_string(2 * at + 2) + "\n";
  }
  std::string ends;
  for (int at = 1; at < 9; ++at) ends += stop(at);
  CHECK(merge(blocks + next(16)) == "b0:\n  select {\n" + cases + "  } else b9\n" + ends + next(9));
}

TEST_CASE("runs that are too short stay as they are, and a set of many patterns is a run") {
  const std::string blocks = host(0, 0, 2, 1) + stop(1) + host(2, 1, 4, 3) + stop(3) + next(4);
  CHECK(merge(blocks) == blocks);
  CHECK(merge(path(0, 2, 1) + stop(1) + next(2)) ==
        "b0:\n  select {\n    path beg #5 -> b1\n  } else b2\n" + stop(1) + next(2));
}

TEST_CASE("where data may still come nothing is merged") {
  const std::string blocks = path(0, 2, 1) + stop(1) + next(2);
  CHECK(merge(blocks, "content") == blocks);
}

}  // namespace
}  // namespace hawser::test
