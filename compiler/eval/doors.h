// Frontends as a connection finds them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/config.h"
#include "grammar/source.h"
#include "runtime/base/address.h"
#include "runtime/base/result.h"

namespace hawser::eval {

// Which frontend a request comes to, and why this one.
struct Door {
  model::ProxyId frontend;
  std::string why;
  std::optional<SocketAddress> local;  // of a bind line
};

class Doors {
 public:
  Doors(const model::Config& config, const grammar::Sources& sources);

  // By its name; else by the address that a connection is made to; else the only one. The error is a sentence for the user.
  Result<Door, std::string> find(const std::string& name, const std::optional<SocketAddress>& local) const;

 private:
  Result<Door, std::string> named(const std::string& name) const;
  Result<Door, std::string> bound(const SocketAddress& local) const;
  std::optional<SocketAddress> local_of(model::ProxyId id) const;
  std::string names() const;

  const model::Config& config_;
  const grammar::Sources& sources_;
  std::vector<model::ProxyId> frontends_;
};

// "192.0.2.1:80", "/run/web.sock", "abns@web" …
std::string text_of(const model::Address& address);

}  // namespace hawser::eval
