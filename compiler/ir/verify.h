// Whether a Module keeps the promises that passes and finalise rely on.
#pragma once

#include <string>

#include "compiler/ir/module.h"

namespace hawser::ir {

// "" or what is wrong, with the function and the block.
//
// verify.cpp looks at each thing by itself:
//   - what is named exists: registers, expressions, sets, redirections, replies, proxies, blocks;
//   - arguments are as the rows of fetches and converters say, an action has the argument that it wants, a method has a set;
//   - functions stand in the order of proxies and entry points, one for each; ends are those of the function's entry point.
// verify_flow.cpp, at how things follow each other (in blocks that can be reached):
//   - blocks form no loop but by `need` and `again`, whose target every way has passed;
//   - `need` stands where data may still come, a select where it may not; `again` goes to a select;
//   - a register is assigned once, and every way to where it is read has passed that; match_register casts nothing;
//   - a text begins and ends within one block.
std::string verify(const Module& module);

// Of one function: what a pass may have broken.
std::string verify(const Module& module, const Function& function);

}  // namespace hawser::ir
