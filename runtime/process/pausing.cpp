#include "runtime/process/pausing.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace hawser::process {
namespace {

// Of a socket that listens: where Linux tells it.
int backlog_of(int descriptor) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  const bool told = getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  return told && info.tcpi_sacked != 0 ? static_cast<int>(info.tcpi_sacked) : SOMAXCONN;
}

bool is_ip(const abi::Address& address) noexcept {
  using Family = abi::Address::Family;
  return address.family == Family::v4 || address.family == Family::v6 || address.family == Family::none;
}

}  // namespace

void Pausing::pause(Messages& messages) {
  if (std::exchange(is_paused_, true)) return;
  const auto& plan = plan_.root<abi::Plan>();
  const auto pause_one = [this](int descriptor, const abi::Address& address) {
    if (descriptor < 0 || !is_ip(address)) return;
    paused_.push_back({descriptor, backlog_of(descriptor)});
    shutdown(descriptor, SHUT_RDWR);
  };
  const auto listeners = plan_.rows(plan.listeners);
  for (std::size_t at = 0; at < listeners.size(); ++at) pause_one(listeners_.traffic()[at], listeners[at].address);
  const auto sockets = plan_.rows(plan.global.command_sockets);
  for (std::size_t at = 0; at < sockets.size(); ++at) pause_one(listeners_.commands()[at], sockets[at].address);
  say("Paused", messages);
}

bool Pausing::resume(Messages& messages) {
  if (!std::exchange(is_paused_, false)) return false;
  for (const Paused& one : paused_) {
    if (listen(one.descriptor, one.backlog) != 0) {
      messages.alert(fmt::format("a socket cannot listen again: {}", std::strerror(errno)));
    }
  }
  paused_.clear();
  say("Resumed", messages);
  return true;
}

// In haproxy's words and order.
void Pausing::say(const char* what, Messages& messages) const {
  const auto& plan = plan_.root<abi::Plan>();
  if (plan.global.command_sockets.count != 0) messages.warning(fmt::format("{} frontend GLOBAL.", what));
  for (const abi::Proxy& proxy : plan_.rows(plan.proxies)) {
    if (!proxy.is_frontend || proxy.disabled) continue;
    messages.warning(fmt::format("{} {} {}.", what, proxy.is_backend ? "proxy" : "frontend", plan_.text(proxy.name)));
  }
}

}  // namespace hawser::process
