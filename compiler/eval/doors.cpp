#include "compiler/eval/doors.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/eval/explanation.h"
#include "grammar/diagnostics.h"

namespace hawser::eval {
namespace {

bool is_wildcard(const IpAddress& ip) {
  return std::all_of(ip.bytes.begin(), ip.bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool takes(const model::Address& address, const SocketAddress& local, bool any) {
  const bool numeric = address.family == abi::Address::Family::v4 || address.family == abi::Address::Family::v6;
  if (!numeric || address.port != local.port() || address.ip.family != local.ip().family) return false;
  return any ? is_wildcard(address.ip) : address.ip == local.ip();
}

}  // namespace

std::string text_of(const model::Address& address) {
  switch (address.family) {
    case abi::Address::Family::v4:
    case abi::Address::Family::v6: return SocketAddress::ip(address.ip, address.port).to_string();
    case abi::Address::Family::none: return fmt::format("{}:{}", address.host, address.port);
    case abi::Address::Family::unix_path: return address.path;
    case abi::Address::Family::abstract: return "abns@" + address.path;
    case abi::Address::Family::descriptor: return fmt::format("fd@{}", address.descriptor);
  }
  return "?";
}

Doors::Doors(const model::Config& config, const grammar::Sources& sources) : config_(config), sources_(sources) {
  for (std::size_t at = 0; at < config.proxies.size(); ++at) {
    const model::ProxyId id = config.proxies.id_at(at);
    if (config.proxies[id].frontend()) frontends_.push_back(id);
  }
}

Result<Door, std::string> Doors::find(const std::string& name, const std::optional<SocketAddress>& local) const {
  if (!name.empty()) return named(name);
  if (local) return bound(*local);
  if (frontends_.size() == 1) return Door{frontends_[0], "the only frontend", local_of(frontends_[0])};
  if (frontends_.empty()) return std::string("the configuration has no frontend");
  return fmt::format("there are {} frontends ({}): choose one with --frontend or --dst", frontends_.size(), names());
}

Result<Door, std::string> Doors::named(const std::string& name) const {
  std::vector<std::string_view> known;
  for (const model::ProxyId id : frontends_) {
    if (config_.proxies[id].name == name) return Door{id, "named by --frontend", local_of(id)};
    known.emplace_back(config_.proxies[id].name);
  }
  const std::string_view guess = grammar::did_you_mean(name, known);
  if (!guess.empty()) return fmt::format("no frontend named '{}': did you mean '{}'?", name, guess);
  if (known.empty()) return std::string("the configuration has no frontend");
  return fmt::format("no frontend named '{}': there are {}", name, names());
}

// A bind line of that very address goes before one of any address.
Result<Door, std::string> Doors::bound(const SocketAddress& local) const {
  for (const bool any : {false, true}) {
    for (const model::ProxyId id : frontends_) {
      for (const model::Bind& bind : config_.proxies[id].binds) {
        for (const model::Address& address : bind.addresses) {
          if (!takes(address, local, any)) continue;
          return Door{id, fmt::format("its bind at {} takes {}", place_of(sources_, bind.span), local.to_string()),
                      local};
        }
      }
    }
  }
  return fmt::format("no frontend is bound to {}", local.to_string());
}

std::optional<SocketAddress> Doors::local_of(model::ProxyId id) const {
  for (const model::Bind& bind : config_.proxies[id].binds) {
    for (const model::Address& address : bind.addresses) {
      if (address.family != abi::Address::Family::v4 && address.family != abi::Address::Family::v6) continue;
      const bool v4 = address.family == abi::Address::Family::v4;
      const IpAddress ip = !is_wildcard(address.ip) ? address.ip : *IpAddress::parse(v4 ? "127.0.0.1" : "::1");
      return SocketAddress::ip(ip, address.port);
    }
  }
  return std::nullopt;
}

std::string Doors::names() const {
  std::string text;
  for (const model::ProxyId id : frontends_) text += (text.empty() ? "" : ", ") + config_.proxies[id].name;
  return text;
}

}  // namespace hawser::eval
