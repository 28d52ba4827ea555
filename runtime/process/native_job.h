// A job of the loader: hawser-jitc, which makes native code of a Program.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/process/memory_file.h"

namespace hawser::process {

// Where hawser-jitc is: HAWSER_JITC, else beside this program, else where it is installed to. It need not be there.
std::string find_native_compiler();

struct NativeJob {
  OwnedDescriptor program;
  OwnedDescriptor code;
  OwnedDescriptor said;  // what it says on stderr
  int earlier = -1;      // code of another program, to take from what is the same; the cache's
  std::uint32_t cpu_seconds = 0;
  bool symbols = false;
};

// In a child: becomes hawser-jitc.
[[noreturn]] void run_native_job(const NativeJob& job) noexcept;

// Has hawser-jitc write the code of a Program to our stdout as text, `form` is "llvm" or "asm": "" or why there is none.
std::string dump_native(std::span<const std::byte> program, const char* form);

std::string over_budget(std::uint32_t cpu_seconds);

// Why a job that ended with `status` (waitpid) has no code: "" when it has.
std::string native_failure(const NativeJob& job, int status);

}  // namespace hawser::process
