// What expressions read, and what instructions and waiting write (contract 2).
//
// A value may be used again, and two tests may be merged, only if nothing between them, resume points included,
// writes what the expression reads: !overlap(reads(e), writes(i)) for each instruction i between.
#pragma once

#include "compiler/ir/module.h"
#include "runtime/abi/effects.h"

namespace hawser::ir {

// By the fetch's row, and `variables` for converters that take one.
abi::Effect reads(const Expression& expression) noexcept;

// An action that edits fields writes those of the function's message.
abi::Effect writes(const Instruction& instruction, const Function& function) noexcept;

// What may be different behind a resume point: all that is not of this exchange alone, and what waiting is for.
abi::Effect changes_while_waiting() noexcept;

}  // namespace hawser::ir
