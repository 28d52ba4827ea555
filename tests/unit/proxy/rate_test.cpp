#include <doctest/doctest.h>

#include "runtime/proxy/rate.h"

namespace hawser::proxy {

TEST_CASE("a rate lets its limit in within a second, and then makes the next one wait") {
  Rate rate;
  rate.set_limit(3);
  for (int i = 0; i < 3; ++i) {
    CHECK(rate.wait_ms(1000) == 0);
    rate.count(1000);
  }
  CHECK(rate.wait_ms(1500) == 333);
  CHECK(rate.wait_ms(2000) != 0);  // the last second's still count
  CHECK(rate.wait_ms(2400) == 0);
  CHECK(rate.wait_ms(9000) == 0);
}

TEST_CASE("a rate without a limit never waits") {
  Rate rate;
  for (int i = 0; i < 100; ++i) rate.count(5);
  CHECK(rate.wait_ms(5) == 0);
}

}  // namespace hawser::proxy
