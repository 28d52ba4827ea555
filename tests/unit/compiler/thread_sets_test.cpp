#include <doctest/doctest.h>

#include "compiler/keywords/thread_sets.h"

namespace hawser::compiler {

TEST_CASE("threads are counted from 1, alone, as a range, or by a word") {
  CHECK(read_number_set("1") == 1);
  CHECK(read_number_set("2-4") == 0xe);
  CHECK(read_number_set("4-2") == 0xe);
  CHECK(read_number_set("63-") == 0xc000'0000'0000'0000);
  CHECK(read_number_set("all") == ~0ULL);
  CHECK(read_number_set("odd") == 0x5555'5555'5555'5555);
  for (const char* wrong : {"", "x", "0", "65", "1-65", "1,2", "-1", "1x"}) CHECK_FALSE(read_number_set(wrong));
}

TEST_CASE("CPUs are counted from 0, and several sets go together with commas") {
  CHECK(read_cpu_set("0") == 1);
  CHECK(read_cpu_set("0,2-3") == 0xd);
  CHECK(read_cpu_set("64") == 0);
  for (const char* wrong : {"", "x", "0,", "0-x"}) CHECK_FALSE(read_cpu_set(wrong));
}

}  // namespace hawser::compiler
