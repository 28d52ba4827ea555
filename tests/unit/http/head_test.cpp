// What a message head promises, whatever its version.
#include "runtime/http/head.h"

#include <doctest/doctest.h>

using namespace hawser;
using http::Head;

TEST_CASE("names are lower-cased when they are added") {
  Arena arena;
  Head head;
  head.add(arena, "X-Forwarded-For", "192.0.2.1");
  CHECK(head.fields[0].name == "x-forwarded-for");
}

TEST_CASE("a removed field is not found, and the next of its name is") {
  Arena arena;
  Head head;
  head.add(arena, "a", "1");
  head.add(arena, "a", "2");
  head.fields[0].removed = true;
  CHECK(head.find("a")->value == "2");
  CHECK(head.remove("a") == 1);
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
