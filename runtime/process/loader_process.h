// The loader's own life, from its fork to its end.
#pragma once

#include "runtime/process/loader.h"

namespace hawser::process {

// Carries out what comes over `channel` until its other end is closed. `served`: the process that it was forked from.
[[noreturn]] void run_loader(OwnedDescriptor channel, const Load& load, Messages& messages, int served) noexcept;

}  // namespace hawser::process
