// Lets the interpreter that this test is linked with tell of every step that it runs (runtime/exec/interpreter.cpp).
#pragma once

#include "runtime/abi/program.h"

namespace hawser::test {
void note_step(const abi::Step& step) noexcept;
}  // namespace hawser::test

#define HAWSER_ON_STEP(step) ::hawser::test::note_step(step)
