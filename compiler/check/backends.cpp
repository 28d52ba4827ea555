// default_backend and use_backend: each names a backend that exists and speaks what its frontend speaks.
#include <fmt/format.h>

#include "compiler/check/check.h"

namespace hawser::compiler {
namespace {

std::optional<model::ProxyId> backend_named(const model::Config& config, std::string_view name) {
  const auto found = config.proxies_by_name.find(name);
  if (found == config.proxies_by_name.end()) return std::nullopt;
  for (const model::ProxyId id : found->second) {
    if (config.proxies[id].backend()) return id;
  }
  return std::nullopt;
}

std::string_view closest_backend(const model::Config& config, std::string_view name) {
  std::vector<std::string_view> known;
  for (const model::Proxy& proxy : config.proxies) {
    if (proxy.backend()) known.push_back(proxy.name);
  }
  return grammar::did_you_mean(name, known);
}

std::string_view mode_name(const model::Proxy& proxy) { return *proxy.mode == abi::Mode::http ? "http" : "tcp"; }

// The backend that `keyword` names. Nothing after a message.
std::optional<model::ProxyId> resolve(ReadContext& cx, const model::Proxy& proxy, std::string_view keyword,
                                      std::string_view name, grammar::Span span) {
  const auto found = backend_named(cx.config, name);
  if (!found) {
    cx.diagnostics.error(span, "Proxy '{}': unable to find required {}: '{}'.", proxy.name, keyword, name)
        .from(grammar::Origin::config)
        .suggest(closest_backend(cx.config, name));
    return std::nullopt;
  }
  const model::Proxy& backend = cx.config.proxies[*found];
  if (&backend == &proxy) {
    cx.diagnostics.error(span, "Proxy '{}': loop detected for {}: '{}'.", proxy.name, keyword, name)
        .from(grammar::Origin::config);
    return std::nullopt;
  }
  // The reverse is sound: a connection of a TCP frontend becomes HTTP in such a backend.
  if (*proxy.mode == abi::Mode::http && *backend.mode == abi::Mode::tcp) {
    cx.diagnostics
        .error(span, "{} {} '{}' ({}) tries to use incompatible {} {} '{}' ({}) {} (see 'mode').", mode_name(proxy),
               proxy_type(proxy), proxy.name, cx.place_of(proxy.span), mode_name(backend), proxy_type(backend),
               backend.name, cx.place_of(backend.span),
               keyword == "default_backend" ? "as its default backend" : "in a 'use_backend' rule")
        .from(grammar::Origin::config)
        .label(backend.mode.is_set() ? backend.mode.span : backend.name_span, "the backend's mode is tcp");
    return std::nullopt;
  }
  return found;
}

}  // namespace

void resolve_backends(ReadContext& cx, model::Proxy& proxy) {
  if (proxy.default_backend.is_set() && (proxy.frontend() || proxy.default_backend.span.line > proxy.span.line)) {
    proxy.default_backend_id =
        resolve(cx, proxy, "default_backend", *proxy.default_backend, proxy.default_backend.span);
  }
  for (model::BackendRule& rule : proxy.backend_rules) {
    if (!rule.dynamic) rule.backend = resolve(cx, proxy, "use_backend", rule.backend_name, rule.span);
  }
}

}  // namespace hawser::compiler
