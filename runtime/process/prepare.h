// What stands between a compiled configuration and a running one, and needs no descriptor: `-c` does it too.
#pragma once

#include <optional>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/base/address.h"
#include "runtime/process/messages.h"

namespace hawser::process {

struct Prepared {
  // The addresses of the servers that are named by a host name, in the order of proxies and servers; `none` for
  // one that could not be found and that starts disabled (-dr).
  std::vector<IpAddress> addresses;
  bool warned = false;
};

// Checks that inherited sockets are sockets, and looks the servers' names up through libc. Nothing after an alert.
std::optional<Prepared> prepare(abi::ImageView plan, bool ignore_resolution_failures, Messages& messages);

}  // namespace hawser::process
