// Native code for a verified Program. LLVM is behind this header and in none that includes it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/codegen/backend.h"
#include "runtime/abi/image.h"
#include "runtime/base/result.h"

namespace hawser::codegen {

enum class Form : std::uint8_t { llvm, assembly };

// The code image. With `names` its functions have names for perf and gdb.
Result<std::vector<std::byte>> compile(abi::ImageView program, Effort effort, bool names);

// The code as text.
Result<std::string> dump(abi::ImageView program, Effort effort, Form form);

}  // namespace hawser::codegen
