// A job of the loader: reading and compiling the files, in a child of it.
#pragma once

#include <vector>

#include "runtime/process/loader.h"

namespace hawser::process {

struct LoadResult {
  Loaded loaded;
  bool introduced = false;  // the notices that stand before the first message were printed
};

// The job's files, in this order: the result, the plan, the program.
inline constexpr std::size_t kLoadFiles = 3;
Result<std::vector<OwnedDescriptor>> make_load_files();

// In the job: false when what was loaded could not be written to the files.
bool write_loaded(const std::vector<OwnedDescriptor>& files, const Loaded& loaded, bool introduced) noexcept;

// In the serving process: takes apart what the job wrote. The files must be sealed.
Result<LoadResult> read_loaded(std::vector<OwnedDescriptor>& files);

}  // namespace hawser::process
