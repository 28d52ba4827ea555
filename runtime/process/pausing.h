// Letting go of TCP ports for a while, so that a process that cannot share them may bind them (SIGTTOU), and taking them up
// again (SIGTTIN).
#pragma once

#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/process/listeners.h"
#include "runtime/process/messages.h"

namespace hawser::process {

class Pausing {
 public:
  // Both outlive this.
  Pausing(abi::ImageView plan, const Listeners& listeners) : plan_(plan), listeners_(listeners) {}

  // TCP sockets listen no more; UNIX sockets are replaced without their help.
  void pause(Messages& messages);
  // They listen again, with the backlog that they had; false when nothing was paused.
  bool resume(Messages& messages);

 private:
  struct Paused {
    int descriptor;
    int backlog;
  };
  void say(const char* what, Messages& messages) const;

  const abi::ImageView plan_;
  const Listeners& listeners_;
  std::vector<Paused> paused_;
  bool is_paused_ = false;
};

}  // namespace hawser::process
