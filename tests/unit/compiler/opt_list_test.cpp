// Which passes there are, and how they are chosen.
#include <doctest/doctest.h>

#include <string>

#include "compiler/opt/opt.h"

namespace hawser::opt {
namespace {

TEST_CASE("passes are chosen by name, and an unknown name is no choice") {
  const std::size_t count = passes().size();
  for (std::size_t at = 0; at < count; ++at) {
    CHECK(PassSet::all().has(at));
    CHECK_FALSE(PassSet::none().has(at));
    const auto one = PassSet::parse(passes()[at].name);
    REQUIRE(one.has_value());
    for (std::size_t other = 0; other < count; ++other) CHECK(one->has(other) == (other == at));
  }
  const auto two = PassSet::parse("merge-tests,remove-dead");
  REQUIRE(two.has_value());
  CHECK_FALSE(two->has(0));
  CHECK(PassSet::parse("all")->has(0));
  CHECK_FALSE(PassSet::parse("none")->has(0));
  CHECK_FALSE(PassSet::parse("merge-test").has_value());
  CHECK_FALSE(PassSet::parse("merge-tests,,remove-dead").has_value());
}

}  // namespace
}  // namespace hawser::opt
