// Reading files whole: configurations, patterns, error pages. Only before anything is served.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/result.h"

namespace hawser {

inline constexpr std::size_t kFileBytesMax = 256 * 1024 * 1024;

// All of it, or why not ("web.cfg: No such file or directory"). More than `bytes_max` is refused, so that a file without an
// end does not hang its reader.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max = kFileBytesMax);

}  // namespace hawser
