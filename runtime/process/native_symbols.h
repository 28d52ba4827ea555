// Names for native code, for perf and gdb (--jit-symbols): without them its addresses belong to nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::process {

struct NativeSymbol {
  std::string_view name;
  const std::byte* at = nullptr;
  std::size_t size = 0;
};

// perf's map of a process: a line a function.
std::string perf_map(std::span<const NativeSymbol> symbols);

// An ELF object without contents whose symbols are at these addresses.
std::vector<std::byte> symbol_object(std::span<const NativeSymbol> symbols);

// Writes /tmp/perf-PID.map and shows the object to a debugger, now or later (gdb's JIT interface). False when the map could
// not be written. Main thread only.
bool tell_debuggers(std::span<const NativeSymbol> symbols);

}  // namespace hawser::process
