// Registers of the Program for the virtual ones of a draft.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::compiler {

// Gives each virtual register (`of_step`: one for each step, or 0xffff'ffff) the lowest register that is free from its first
// step to its last one, and longer where a loop needs it; writes it into the steps. Returns how many are used.
std::uint16_t give_registers(std::vector<abi::Step>& steps, const std::vector<std::uint32_t>& of_step,
                             std::uint32_t count);

}  // namespace hawser::compiler
