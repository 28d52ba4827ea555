// What a message head promises, whatever its version.
#include "runtime/http/head.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace hawser;
using http::FieldValues;
using http::Head;

namespace {

std::vector<std::string> values(const Head& head, std::string_view name, bool split) {
  std::vector<std::string> all;
  FieldValues walk(head, name, split);
  for (std::string_view value; walk.next(value);) all.emplace_back(value);
  return all;
}

}  // namespace

TEST_CASE("setting a field removes all of its name and appends one") {
  Arena arena;
  Head head;
  head.add(arena, "X-A", "1");
  head.add(arena, "x-b", "2");
  head.add(arena, "x-a", "3");
  head.set(arena, "x-a", "4");
  CHECK(head.count("x-a") == 1);
  CHECK(head.find("x-a")->value == "4");
  CHECK(head.find("x-b")->value == "2");
}

TEST_CASE("names are lower-cased when they are added") {
  Arena arena;
  Head head;
  head.add(arena, "X-Forwarded-For", "192.0.2.1");
  CHECK(head.fields[0].name == "x-forwarded-for");
}

TEST_CASE("values are split at commas outside of quotes") {
  Arena arena;
  Head head;
  head.add(arena, "a", "1, \"2,\\\"3\" ,4");
  head.add(arena, "b", "no");
  head.add(arena, "a", "5");
  CHECK(values(head, "a", true) == std::vector<std::string>{"1", "\"2,\\\"3\"", "4", "5"});
  CHECK(values(head, "a", false) == std::vector<std::string>{"1, \"2,\\\"3\" ,4", "5"});
}

TEST_CASE("removed fields have no values") {
  Arena arena;
  Head head;
  head.add(arena, "a", "1");
  head.remove("a");
  CHECK(values(head, "a", true).empty());
  CHECK(head.find("a") == nullptr);
}

TEST_CASE("a path ends where its query begins") {
  Head head;
  head.path = "/a/b?c=d?e";
  CHECK(head.path_only() == "/a/b");
  CHECK(head.query() == "c=d?e");
  head.path = "/a";
  CHECK(head.query() == "");
  CHECK_FALSE(head.has_query());
}
