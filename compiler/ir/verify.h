// Whether a Module keeps the promises that passes and finalise rely on.
#pragma once

#include <string>

#include "compiler/ir/module.h"

namespace hawser::ir {

// "" or what is wrong, with function and block. The rules stand in verify.cpp, one function each.
std::string verify(const Module& module);

}  // namespace hawser::ir
