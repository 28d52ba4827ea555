// From the model to the Program: rules, conditions, expressions and formats as steps.
#pragma once

#include "compiler/driver/compile.h"

namespace hawser::compiler {

struct LowerOptions {
  bool suspend_everywhere = false;  // tests: a resume point before every step
};

abi::Image lower(const model::Config& config, const LowerOptions& options);

}  // namespace hawser::compiler
