#include "runtime/process/prepare.h"

#include "runtime/net/sockets.h"

#include <fmt/format.h>

#include <map>
#include <string>


namespace hawser::process {
std::optional<Prepared> prepare(abi::ImageView image, bool ignore_resolution_failures, Messages& messages) {
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
      const std::string text =
          fmt::format("config : [{}:{}] : 'server {}/{}' : could not resolve address '{}'",
                      image.text(server.place.file), server.place.line, image.text(proxy.name), image.text(server.name), host);
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
