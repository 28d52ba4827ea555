// Binds what a Plan listens on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/net/sockets.h"

namespace hawser::process {

// Descriptors that listen, closed unless released.
class Listeners {
 public:
  Listeners() = default;
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  // Binds everything, or takes what `source` has of it. What fails is in `failures`, in haproxy's words, and nothing is bound.
  bool bind(abi::ImageView plan, std::uint32_t maxconn, const net::ListenerSource& source,
            std::vector<std::string>& failures);

  // In the order of Plan::listeners; -1 for those of disabled proxies.
  const std::vector<int>& traffic() const noexcept { return traffic_; }
  // In the order of Global::command_sockets.
  const std::vector<int>& commands() const noexcept { return commands_; }
  // Those that are no UNIX path: another process can only have them by being given them.
  std::vector<int> to_give(abi::ImageView plan) const;
  // How many there are.
  std::size_t count() const noexcept;

 private:
  void close_all() noexcept;

  std::vector<int> traffic_;
  std::vector<int> commands_;
};

// How many of them a Plan asks for; with none there is nothing to start.
std::size_t count_listeners(abi::ImageView plan);

}  // namespace hawser::process
