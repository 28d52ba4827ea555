#include "runtime/process/listeners.h"

#include <unistd.h>

namespace hawser::process {
namespace {

// The descriptor, or -1 after a failure.
int opened(const Result<net::Descriptor>& result, std::vector<std::string>& failures) {
  if (result) return *result;
  failures.push_back(result.error().message);
  return -1;
}

}  // namespace

Listeners::~Listeners() { close_all(); }

void Listeners::close_all() noexcept {
  for (auto* all : {&traffic_, &commands_}) {
    for (const int descriptor : *all) {
      if (descriptor >= 0) close(descriptor);
    }
    all->clear();
  }
}

bool Listeners::bind(abi::ImageView image, std::uint32_t maxconn, const net::ListenerSource& source,
                     std::vector<std::string>& failures) {
  const auto& plan = image.root<abi::Plan>();
  const auto proxies = image.rows(plan.proxies);
  failures.clear();
  for (const abi::Listener& listener : image.rows(plan.listeners)) {
    const bool wanted = !proxies[listener.proxy].disabled;
    traffic_.push_back(wanted ? opened(net::open_listener(listener, image, maxconn, source), failures) : -1);
  }
  for (const abi::CommandSocket& socket : image.rows(plan.global.command_sockets)) {
    commands_.push_back(opened(net::open_command_socket(socket, image, source), failures));
  }
  if (!failures.empty()) close_all();
  return failures.empty();
}

std::vector<int> Listeners::to_give(abi::ImageView image) const {
  const auto& plan = image.root<abi::Plan>();
  std::vector<int> given;
  const auto add = [&](int descriptor, const abi::Address& address) {
    if (descriptor >= 0 && address.family != abi::Address::Family::unix_path) given.push_back(descriptor);
  };
  const auto listeners = image.rows(plan.listeners);
  for (std::size_t at = 0; at < listeners.size(); ++at) add(traffic_[at], listeners[at].address);
  const auto sockets = image.rows(plan.global.command_sockets);
  for (std::size_t at = 0; at < sockets.size(); ++at) add(commands_[at], sockets[at].address);
  return given;
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
