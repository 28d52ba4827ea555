// Conditions: three-valued, left as soon as nothing that follows can change them.
#pragma once

#include "compiler/eval/scope.h"
#include "compiler/eval/trace.h"

namespace hawser::eval {

// Notes what it looks at in `terms`, unless this is null. `unknown` only where data may still come.
abi::Truth holds(const Scope& scope, const model::Condition& condition, std::vector<TracedTerm>* terms);

}  // namespace hawser::eval
