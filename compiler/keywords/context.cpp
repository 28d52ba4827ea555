#include "compiler/keywords/context.h"

#include <fmt/format.h>

namespace hawser::compiler {

std::string_view section_name(Section section) noexcept {
  if (contains(section, Section::global)) return "global";
  if (contains(section, Section::defaults)) return "defaults";
  if (contains(section, Section::frontend)) return "frontend";
  if (contains(section, Section::listen)) return "listen";
  if (contains(section, Section::backend)) return "backend";
  return "";
}

std::string_view proxy_type(const model::Proxy& proxy) noexcept {
  switch (proxy.kind) {
    case model::Proxy::Kind::defaults: return "defaults";
    case model::Proxy::Kind::frontend: return "frontend";
    case model::Proxy::Kind::backend: return "backend";
    case model::Proxy::Kind::listen: return "proxy";
  }
  return "proxy";
}

std::string ReadContext::proxy_title() const {
  return proxy == nullptr ? "" : fmt::format("{} '{}'", proxy_type(*proxy), proxy->name);
}

std::string ReadContext::place_of(grammar::Span span) const {
  return fmt::format("{}:{}", sources.name(span.file), span.line);
}

}  // namespace hawser::compiler
