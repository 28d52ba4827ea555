// The running service: workers on their threads, signals on the main one.
#pragma once

#include <functional>

#include "runtime/process/jit.h"
#include "runtime/process/limits.h"
#include "runtime/process/listeners.h"
#include "runtime/process/messages.h"
#include "runtime/proxy/generation.h"

namespace hawser::process {

struct ServiceOptions {
  std::uint32_t threads = 1;
  std::uint32_t memory_mb = 0;
  Limits limits;
};

// The signals that the service waits for: to be blocked before any thread starts, so that all inherit it.
void block_signals();

// Runs the workers until a signal ends them. `serving` is called once all of them have started. Returns the exit status;
// TERM and INT end the process by that very signal once the workers have stopped, and USR1 lets it finish its sessions.
int serve(proxy::Generation& generation, Listeners& listeners, const ServiceOptions& options, Jit& jit,
          Messages& messages, const std::function<void()>& serving);

}  // namespace hawser::process
