#include "runtime/process/listeners.h"

#include "runtime/net/sockets.h"

#include <unistd.h>

namespace hawser::process {
namespace {

// The descriptor, or -1 after a message.
int opened(const Result<net::Descriptor>& result, Messages& messages) {
  if (result) return *result;
  messages.alert(result.error().message);
  return -1;
}

}  // namespace

Listeners::~Listeners() {
  for (const auto* all : {&traffic_, &commands_}) {
    for (const int descriptor : *all) {
      if (descriptor >= 0) close(descriptor);
    }
  }
}

bool Listeners::bind(abi::ImageView image, std::uint32_t maxconn, bool reuse_port, Messages& messages) {
  const auto& plan = image.root<abi::Plan>();
  const auto proxies = image.rows(plan.proxies);
  bool good = true;
  for (const abi::Listener& listener : image.rows(plan.listeners)) {
    if (proxies[listener.proxy].disabled) {
      traffic_.push_back(-1);
      continue;
    }
    traffic_.push_back(opened(net::open_listener(listener, image, maxconn, reuse_port), messages));
    good = good && traffic_.back() >= 0;
  }
  for (const abi::CommandSocket& socket : image.rows(plan.global.command_sockets)) {
    commands_.push_back(opened(net::open_command_socket(socket, image), messages));
    good = good && commands_.back() >= 0;
  }
  return good;
}

std::size_t Listeners::count() const noexcept {
  std::size_t sum = 0;
  for (const auto* all : {&traffic_, &commands_}) {
    for (const int descriptor : *all) sum += descriptor >= 0 ? 1 : 0;
  }
  return sum;
}

std::size_t count_listeners(abi::ImageView image) {
  const auto& plan = image.root<abi::Plan>();
  const auto proxies = image.rows(plan.proxies);
  std::size_t sum = plan.global.command_sockets.count;
  for (const abi::Listener& listener : image.rows(plan.listeners)) sum += proxies[listener.proxy].disabled ? 0 : 1;
  return sum;
}

}  // namespace hawser::process
