// From the model to the IR: rules, conditions, expressions and formats as blocks.
#pragma once

#include "compiler/ir/module.h"
#include "compiler/model/config.h"

namespace hawser::compiler {

// The order of rows is that of the Plan: replies and proxies (without the defaults sections).
ir::Module lower(const model::Config& config);

}  // namespace hawser::compiler
