// Native code that the loader has made before, by the bytes of its program: a configuration that comes back, or that
// changed in nothing that is compiled, needs no compiler. For one that did change, hawser-jitc takes what is the same from the
// newest (compiler/codegen/native_image.h).
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/process/memory_file.h"

namespace hawser::process {

class CodeCache {
 public:
  // The code's file, which the cache keeps, or -1.
  int find(int program_file);
  // What was made or found last, or -1.
  int newest() const noexcept { return entries_.empty() ? -1 : entries_.back().code.get(); }
  // What was not asked for the longest goes when there are too many.
  void keep(OwnedDescriptor program, OwnedDescriptor code);
  void append_descriptors(std::vector<int>& descriptors) const;

 private:
  struct Entry {
    std::uint64_t hash;
    OwnedDescriptor program;
    OwnedDescriptor code;
  };
  std::vector<Entry> entries_;  // what was asked for last stands last
};

}  // namespace hawser::process
