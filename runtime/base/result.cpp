#include "runtime/base/result.h"

#include <system_error>

namespace hawser {

Error Error::from_errno(std::string what, int code) {
  what += ": ";
  what += std::generic_category().message(code);
  return {code, std::move(what)};
}

}  // namespace hawser
