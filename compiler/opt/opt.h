// Passes over the IR: each makes the same configuration run in fewer steps, for the interpreter and native code alike.
//
// A pass leaves behind what it found in all that can be seen from outside: the same rules apply, in the same order, with
// the same values (DESIGN.md, contracts 2 and 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/ir/module.h"

namespace hawser::opt {

// Returns whether anything is different.
using Pass = bool (*)(ir::Module& module, ir::Function& function);

bool fold_constants(ir::Module& module, ir::Function& function);
bool thread_branches(ir::Module& module, ir::Function& function);
bool merge_tests(ir::Module& module, ir::Function& function);
bool fetch_once(ir::Module& module, ir::Function& function);
bool remove_dead(ir::Module& module, ir::Function& function);

struct PassRow {
  std::string_view name;
  std::string_view summary;
  Pass pass;
};

// In the order in which they run.
std::span<const PassRow> passes() noexcept;

// Which passes run.
class PassSet {
 public:
  static PassSet all() noexcept { return PassSet(~std::uint32_t{0}); }
  static PassSet none() noexcept { return PassSet(0); }
  // "all", "none", or names with commas between; nothing when one is unknown.
  static std::optional<PassSet> parse(std::string_view text);

  bool has(std::size_t pass) const noexcept { return (bits_ >> pass & 1) != 0; }

 private:
  explicit PassSet(std::uint32_t bits) noexcept : bits_(bits) {}
  std::uint32_t bits_;
};

// Runs the passes of a set over all functions. In debug builds the verifier looks at the module behind each.
void optimise(ir::Module& module, PassSet set = PassSet::all());

}  // namespace hawser::opt
