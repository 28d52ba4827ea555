// What the code that reads one line sees: the configuration so far, the section that the line stands in, and where
// messages go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/model/config.h"
#include "grammar/diagnostics.h"
#include "grammar/reader.h"
#include "grammar/source.h"
#include "runtime/base/file.h"

namespace hawser::compiler {

struct Options;  // compiler/driver/compile.h

// The sections in which keywords stand, as bits so that a keyword names several.
enum class Section : std::uint8_t {
  none = 0,
  global = 1 << 0,
  defaults = 1 << 1,
  frontend = 1 << 2,
  listen = 1 << 3,
  backend = 1 << 4,
};

constexpr Section operator|(Section a, Section b) noexcept {
  return static_cast<Section>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool contains(Section set, Section one) noexcept {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

// Where most keywords stand: on a side of the traffic, `defaults` included, or in any proxy but `defaults`.
inline constexpr Section kClientSide = Section::defaults | Section::frontend | Section::listen;
inline constexpr Section kServerSide = Section::defaults | Section::listen | Section::backend;
inline constexpr Section kProxies = Section::frontend | Section::listen | Section::backend;

// "frontend"; of a set, its first.
std::string_view section_name(Section section) noexcept;

// "frontend", "backend", "defaults", and "proxy" for `listen`, as HAProxy's messages say.
std::string_view proxy_type(const model::Proxy& proxy) noexcept;

// One for a whole configuration; `section` and `proxy` move on as sections begin.
struct ReadContext {
  model::Config& config;
  model::Proxy* proxy;  // of the current section; null in `global` and before the first section
  grammar::Diagnostics& diagnostics;
  grammar::Environment& environment;
  const grammar::Sources& sources;
  const Options& options;
  Section section = Section::none;

  bool in_defaults() const noexcept { return section == Section::defaults; }
  // The id of `proxy`: the section that was begun last.
  model::ProxyId own_id() const noexcept { return config.proxies.id_at(config.proxies.size() - 1); }
  // The proxy as HAProxy's messages call it: "frontend 'web'", "proxy 'mixed'" for `listen`, "defaults 'base'".
  std::string proxy_title() const;
  // "FILE:LINE".
  std::string place_of(grammar::Span span) const;
};

}  // namespace hawser::compiler
