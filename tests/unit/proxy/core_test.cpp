// What workers share without writing to one line at each request.
#include <set>

#include "runtime/proxy/core.h"
#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

TEST_CASE("one worker numbers its requests without a gap") {
  tables::State state(1);
  const auto generation = make_generation(Setup::http({}), state);
  Core core(*generation, 0, 1);
  for (std::uint64_t number = 0; number < 1000; ++number) REQUIRE(core.next_request_number() == number);
}

TEST_CASE("no two requests of two workers have one number") {
  tables::State state(2);
  const auto generation = make_generation(Setup::http({}), state);
  Core first(*generation, 0, 2);
  Core second(*generation, 1, 2);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(seen.insert(first.next_request_number()).second);
    REQUIRE(seen.insert(second.next_request_number()).second);
  }
}

}  // namespace
}  // namespace hawser::proxy::test
