// Binds what a Plan listens on.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// Descriptors that listen, closed unless released.
class Listeners {
 public:
  Listeners() = default;
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  // Binds everything, saying all that fails in haproxy's words; false when anything did.
  bool bind(abi::ImageView plan, std::uint32_t maxconn, bool reuse_port, Messages& messages);

  // In the order of Plan::listeners; -1 for those of disabled proxies.
  const std::vector<int>& traffic() const noexcept { return traffic_; }
  // In the order of Global::command_sockets.
  const std::vector<int>& commands() const noexcept { return commands_; }
  // How many there are.
  std::size_t count() const noexcept;

 private:
  std::vector<int> traffic_;
  std::vector<int> commands_;
};

// How many of them a Plan asks for; with none there is nothing to start.
std::size_t count_listeners(abi::ImageView plan);

}  // namespace hawser::process
