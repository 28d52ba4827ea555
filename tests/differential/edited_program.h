// Programs made of the one that is suspended before every step: suspended at one resume point alone, or never, and with
// branches that are turned whatever the condition is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::test {

// Steps that jump whatever the condition is, or never: by their number in the Program.
using Turned = std::map<std::uint32_t, bool>;

// `keep` is the number of the step test_suspend that stays; none: none of them.
abi::Image edit_program(abi::ImageView program, std::optional<std::uint32_t> keep, const Turned& turned);

// The branches to turn so that a run of the function comes to `step` (a number in the Program): nothing when no way
// leads there, or none that is a matter of branches.
std::optional<Turned> way_to(abi::ImageView program, const abi::Function& function, std::uint32_t step);

}  // namespace hawser::test
