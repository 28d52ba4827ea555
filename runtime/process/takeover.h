// The processes that a new one replaces (-sf, -st), and their listening sockets (-x).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/net/handover.h"
#include "runtime/process/command_line.h"
#include "runtime/process/listeners.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// Goes with the signal that asks for a soft stop: who sends it listens on the same addresses.
inline constexpr int kReplaced = 0x4857'5352;

class Takeover {
 public:
  explicit Takeover(const CommandLine& command_line)
      : old_(command_line.old_processes), end_now_(command_line.end_old_now) {}

  // Fetches the sockets of -x. False after an alert.
  bool fetch(const CommandLine& command_line, Messages& messages);
  net::GivenSockets& given() noexcept { return given_; }

  // Binds everything. While an old process is in the way it is asked to let go of its sockets (SIGTTOU), for two seconds at
  // most; in vain, it takes them up again (SIGTTIN). False after alerts.
  bool bind(abi::ImageView plan, std::uint32_t maxconn, bool reuse_port, Listeners& listeners, Messages& messages);

  // We serve: the old processes finish (USR1), or end (TERM).
  void finish() const;

 private:
  void tell(int signal_number) const;

  const std::vector<int> old_;
  const bool end_now_;
  net::GivenSockets given_;
};

}  // namespace hawser::process
