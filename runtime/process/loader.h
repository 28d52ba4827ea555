// Reads and compiles the configuration in a process of its own, so that the serving process never grows by it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/base/address.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// What reading the files came to. With an exit status there is nothing to run.
struct Loaded {
  std::optional<int> exit_status;
  bool warned = false;
  abi::Image plan;
  abi::Image program;
  std::vector<IpAddress> addresses;  // of the servers named by a host name (prepare.h)
};

using Load = std::function<Loaded(Messages&)>;

// Runs `load` in a forked child, which writes to our stdout and stderr and is gone when this returns.
Loaded load_in_child(const Load& load, Messages& messages);

}  // namespace hawser::process
