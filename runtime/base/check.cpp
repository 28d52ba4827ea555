#include "runtime/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hawser {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "hawser: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace hawser
