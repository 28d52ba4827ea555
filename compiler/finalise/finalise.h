// From the IR to the Program: blocks in order, registers given out, constants bound, everything written as steps.
#pragma once

#include "compiler/ir/module.h"
#include "runtime/abi/image.h"

namespace hawser::compiler {

struct FinaliseOptions {
  bool suspend_everywhere = false;  // tests: a resume point before every step
};

// The module keeps ir::verify's promises.
abi::Image finalise(const ir::Module& module, const FinaliseOptions& options = {});

}  // namespace hawser::compiler
