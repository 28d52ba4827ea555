// Writes the image in which native code comes (runtime/abi/native.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/codegen/backend.h"
#include "runtime/abi/image.h"

namespace hawser::codegen {

// `functions`: of each function of the Program its place in the code; `names`: of each its name, or nothing at all.
std::vector<std::byte> native_image(abi::ImageView program, const Code& code,
                                    const std::vector<Code::Function>& functions,
                                    const std::vector<std::string>& names);

}  // namespace hawser::codegen
