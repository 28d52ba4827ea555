// Serves the command sockets, on one worker's ring.
#pragma once

#include <memory>
#include <vector>

#include "runtime/admin/facts.h"
#include "runtime/io/ring.h"
#include "runtime/io/timers.h"

namespace hawser::admin {

struct CommandListener {
  io::Descriptor descriptor = -1;  // bound and listening; owned by whoever made it
  abi::AccessLevel level = abi::AccessLevel::oper;
  bool expose_listeners = false;
  int only_process = 0;  // the one that may connect; 0: any
};

// Used by one thread: that of the ring. Destroyed on it, when the ring makes no more turns.
class CommandServer {
 public:
  struct Options {
    std::uint32_t timeout_ms = 10'000;   // without a byte in either direction
    std::uint32_t connections_max = 10;  // more wait until one ends
  };

  CommandServer(io::Ring& ring, io::Timers& timers, const Subject& subject, std::vector<CommandListener> listeners,
                const Options& options);
  ~CommandServer();

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace hawser::admin
