// Going to the background: the parent stays until the child serves, or has failed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/process/messages.h"

namespace hawser::process {

// Unless told otherwise by enter(), the process stays in the foreground and nothing here does anything.
class Daemon {
 public:
  Daemon() = default;
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Opens the pidfile ("": none) and forks. In the parent, once the child has reported: its exit status. In the child nothing:
  // it leads a session of its own, its number is in the pidfile, its stdio is /dev/null; only `messages` still reach
  // the terminal.
  std::optional<int> enter(const std::string& pidfile, std::string_view program, Messages& messages);

  // The child serves: lets the parent go, and the terminal.
  void report_success(Messages& messages);

 private:
  int report_ = -1;    // the parent reads from the other end
  int terminal_ = -1;  // stderr as it was
};

}  // namespace hawser::process
