#include "runtime/process/prepare.h"

#include "runtime/net/sockets.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>

#include <fmt/format.h>

namespace hawser::process {
namespace {

// `bind fd@N` with an N that is no socket. haproxy 2.6 says so while it parses, and so do we, in its words.
bool check_inherited(abi::ImageView image, Messages& messages) {
  const auto& plan = image.root<abi::Plan>();
  std::string_view broken_file;
  const auto close_file = [&] {
    if (!broken_file.empty())
      messages.alert(fmt::format("config : Error(s) found in configuration file : {}", broken_file));
  };
  for (const abi::Listener& listener : image.rows(plan.listeners)) {
    if (listener.address.family != abi::Address::Family::descriptor) continue;
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(static_cast<int>(listener.address.descriptor), SOL_SOCKET, SO_TYPE, &type, &size) == 0) continue;
    const std::string_view file = image.text(listener.place.file);
    const std::string text = fmt::format("config : parsing [{}:{}] : 'bind' : cannot use file descriptor '{}' : {}.",
                                         file, listener.place.line, listener.address.descriptor, std::strerror(errno));
    if (file != broken_file) close_file();
    broken_file = file;
    messages.alert(text);
  }
  if (broken_file.empty()) return true;
  close_file();
  messages.alert("config : Fatal errors found in configuration.");
  return false;
}

}  // namespace

std::optional<Prepared> prepare(abi::ImageView image, bool ignore_resolution_failures, Messages& messages) {
  if (!check_inherited(image, messages)) return std::nullopt;
  Prepared prepared;
  std::map<std::string, IpAddress, std::less<>> known;  // a name is asked for once
  bool failed = false;
  for (const abi::Proxy& proxy : image.rows(image.root<abi::Plan>().proxies)) {
    for (const abi::Server& server : image.rows(proxy.servers)) {
      if (server.address.family != abi::Address::Family::none) continue;
      const std::string host(image.text(server.host));
      auto at = known.find(host);
      if (at == known.end()) at = known.emplace(host, net::look_up(host).value_or(IpAddress())).first;
      prepared.addresses.push_back(at->second);
      if (at->second.family != IpAddress::Family::none) continue;
      const std::string text = fmt::format("config : [{}:{}] : 'server {}/{}' : could not resolve address '{}'",
                                           image.text(server.place.file), server.place.line, image.text(proxy.name),
                                           image.text(server.name), host);
      if (ignore_resolution_failures) {
        messages.warning(text + ", disabling server.");
        prepared.warned = true;
      } else {
        messages.alert(text + ".");
        failed = true;
      }
    }
  }
  if (!failed) return prepared;
  messages.alert("config : Failed to initialize server(s) addr.");
  return std::nullopt;
}

}  // namespace hawser::process
