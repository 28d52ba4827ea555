// Walking the values of a head's fields.
#include "runtime/exec/values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace hawser::exec {
namespace {

std::vector<std::string> values(const http::Head& head, std::string_view name, bool split) {
  std::vector<std::string> all;
  Frame::Cursor cursor;
  for (std::string_view value; next_value(head, name, split, cursor, value);) all.emplace_back(value);
  return all;
}

TEST_CASE("values are split at commas outside of quotes") {
  Arena arena;
  http::Head head;
  head.add(arena, "a", "1, \"2,\\\"3\" ,4");
  head.add(arena, "b", "no");
  head.add(arena, "a", "5");
  CHECK(values(head, "a", true) == std::vector<std::string>{"1", "\"2,\\\"3\"", "4", "5"});
  CHECK(values(head, "a", false) == std::vector<std::string>{"1, \"2,\\\"3\" ,4", "5"});
}

TEST_CASE("removed fields have no values") {
  Arena arena;
  http::Head head;
  head.add(arena, "a", "1");
  head.remove("a");
  CHECK(values(head, "a", true).empty());
  CHECK(values(head, "", true).empty());
}

}  // namespace
}  // namespace hawser::exec
