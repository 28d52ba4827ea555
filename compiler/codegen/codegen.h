// Native code for a verified Program. LLVM is behind this header and in none that includes it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "compiler/codegen/backend.h"
#include "compiler/codegen/flow.h"
#include "compiler/codegen/native_image.h"
#include "runtime/abi/image.h"
#include "runtime/base/result.h"

namespace hawser::codegen {

enum class Form : std::uint8_t { llvm, assembly };

struct Options {
  Effort effort = Effort::none;
  bool names = false;                     // for perf and gdb
  std::uint32_t part_steps = kPartSteps;  // of the parts that long functions are cut into
  std::function<void()> rest;             // called between modules: the Program's memory may be given back
};

// The code image. Functions that `earlier` has code for are not compiled.
Result<std::vector<std::byte>> compile(abi::ImageView program, const Options& options, const EarlierCode& earlier);

// The code as text.
Result<std::string> dump(abi::ImageView program, const Options& options, Form form);

}  // namespace hawser::codegen
