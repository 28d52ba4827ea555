// The lines that begin sections: their names, and the defaults from which a proxy inherits.
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "compiler/keywords/arguments.h"
#include "compiler/keywords/section_reader.h"

namespace hawser::compiler {
namespace {

using Kind = model::Proxy::Kind;
const Voice kTokens{.origin = grammar::Origin::tokens};

Section section_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::defaults: return Section::defaults;
    case Kind::frontend: return Section::frontend;
    case Kind::backend: return Section::backend;
    case Kind::listen: return Section::listen;
  }
  return Section::none;
}

// The first byte that no name may have.
std::optional<std::size_t> wrong_in_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto c = static_cast<unsigned char>(name[at]);
    if (std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.' && c != ':') return at;
  }
  return std::nullopt;
}

bool has_rules(const model::Proxy& proxy) {
  return std::any_of(proxy.rules.begin(), proxy.rules.end(), [](const auto& rules) { return !rules.empty(); });
}

const std::vector<model::ProxyId>& named(const model::Config& config, std::string_view name) {
  static const std::vector<model::ProxyId> none;
  const auto found = config.proxies_by_name.find(name);
  return found == config.proxies_by_name.end() ? none : found->second;
}

// The defaults section that `from` names: there, named soundly, and the only one of its name.
std::optional<model::ProxyId> named_defaults(ReadContext& cx, const grammar::Word& name, std::string_view heir) {
  std::optional<model::ProxyId> found;
  for (const model::ProxyId id : named(cx.config, name.text)) {
    const model::Proxy& one = cx.config.proxies[id];
    if (one.kind != Kind::defaults) continue;
    if (found) {
      const grammar::Span first = cx.config.proxies[*found].span;
      refuse(cx, {}, name.span,
             fmt::format("ambiguous defaults section name '{}' referenced by {} exists at least at {} and {}.",
                         name.text, heir, cx.place_of(first), cx.place_of(one.span)))
          .label(first, "the first stands here")
          .label(one.span, "the second stands here");
      return std::nullopt;
    }
    found = id;
  }
  if (!found) {
    std::vector<std::string_view> known;
    for (const model::Proxy& one : cx.config.proxies) {
      if (one.kind == Kind::defaults && !one.name.empty()) known.push_back(one.name);
    }
    refuse(cx, {}, name.span, fmt::format("defaults section '{}' not found for {}.", name.text, heir))
        .suggest(grammar::did_you_mean(name.text, known));
    return std::nullopt;
  }
  if (const auto wrong = wrong_in_name(name.text)) {
    refuse(cx, {}, name.part(*wrong, 1),
           fmt::format("character '{}' is not permitted in defaults section name '{}' when designated by its name "
                       "(section found at {}).",
                       name.text[*wrong], name.text, cx.place_of(cx.config.proxies[*found].span)));
  }
  return found;
}

// Rules of a defaults section are for one kind of proxy, and `defaults` and `listen` are none of them.
void check_inherited_rules(ReadContext& cx, const model::Proxy& heir, model::ProxyId parent_id) {
  const model::Proxy& parent = cx.config.proxies[parent_id];
  if (!has_rules(parent)) return;
  const std::string at = fmt::format(" (defaults section at {})", cx.place_of(parent.span));
  std::string text;
  if (heir.kind == Kind::listen) {
    text = "a listen section cannot inherit from a defaults section defining TCP/HTTP rules.";
  } else if (heir.kind == Kind::defaults) {
    text = fmt::format("a defaults section cannot inherit from a defaults section defining TCP/HTTP rules{}.", at);
  } else {
    const bool mixed = heir.kind == Kind::frontend ? parent.heirs.backends : parent.heirs.frontends;
    if (!mixed) return;
    text = fmt::format(
        "frontends and backends cannot inherit from the same defaults section if it defines TCP/HTTP rules{}.", at);
  }
  refuse(cx, kTokens, heir.span, text).label(parent.span, "the defaults section stands here");
}

// HAProxy 2.6 says so at the level of an alert, and goes on.
void check_mixed_use(ReadContext& cx, const model::Proxy& heir, model::ProxyId parent_id) {
  if (heir.kind == Kind::defaults) return;
  const model::Proxy& parent = cx.config.proxies[parent_id];
  const bool mixed = heir.defaults_explicit ? parent.heirs.by_place : parent.heirs.by_name;
  if (!mixed) return;
  refuse(cx, {}, heir.span,
         fmt::format(
             "defaults section '{}' (declared at {}) is explicitly referenced by another proxy and implicitly used "
             "here. To avoid any ambiguity don't mix both usage. Add a last defaults section not explicitly used or "
             "always use explicit references.",
             parent.name, cx.place_of(parent.span)))
      .not_fatal()
      .label(parent.span, "the defaults section stands here");
}

void note_heir(model::Proxy& parent, const model::Proxy& heir) {
  if (heir.kind == Kind::defaults) return;
  parent.heirs.frontends = parent.heirs.frontends || heir.frontend();
  parent.heirs.backends = parent.heirs.backends || heir.backend();
  (heir.defaults_explicit ? parent.heirs.by_name : parent.heirs.by_place) = true;
}

// What a proxy begins as: the settings and rules of its defaults, under its own name.
model::Proxy heir_of(const model::Proxy& parent) {
  model::Proxy proxy = parent;
  proxy.name.clear();
  proxy.id.reset();
  proxy.acls.clear();  // a proxy does not see the names of its defaults' tests
  proxy.description.clear();
  proxy.heirs = {};
  return proxy;
}

// A name is taken when its owner does all that the new proxy will do: a frontend and a backend may share one, and a
// `listen` may follow a backend of its name, as in haproxy 2.6.
void check_duplicate(ReadContext& cx, const model::Proxy& proxy) {
  if (proxy.kind == Kind::defaults) return;
  for (const model::ProxyId id : named(cx.config, proxy.name)) {
    const model::Proxy& other = cx.config.proxies[id];
    if (other.kind == Kind::defaults) continue;
    if ((proxy.frontend() && !other.frontend()) || (proxy.backend() && !other.backend())) continue;
    cx.diagnostics
        .error(proxy.name_span, "{} '{}' has the same name as {} '{}' declared at {}.", proxy_type(proxy), proxy.name,
               proxy_type(other), other.name, cx.place_of(other.span))
        .from(grammar::Origin::late)
        .label(other.name_span, "the other stands here");
    return;
  }
}

// [NAME] [from DEFAULTS] …: the names on the section's line.
struct Header {
  const grammar::Word* name = nullptr;
  const grammar::Word* from = nullptr;
};

// False after a message.
bool read_header(ReadContext& cx, const grammar::Line& line, Kind kind, Header& header) {
  const std::string& keyword = line.words[0].text;
  std::size_t at = 1;
  const bool anonymous = kind == Kind::defaults && line.words.size() > 1 && line.words[1].text == "from";
  if (at < line.words.size() && !anonymous && !line.words[at].text.empty()) header.name = &line.words[at++];
  if (kind != Kind::defaults && header.name == nullptr) {
    refuse(cx, {}, line.words[0].span, fmt::format("'{}' expects an <id> argument", keyword));
    return false;
  }
  if (at + 1 < line.words.size() && line.words[at].text == "from") {
    header.from = &line.words[at + 1];
    at += 2;
  }
  if (at >= line.words.size()) return true;
  if (kind == Kind::frontend || kind == Kind::listen) {
    refuse(cx, {}, line.words[at].span, "please use the 'bind' keyword for listening addresses.");
    return false;
  }
  if (kind == Kind::backend) {
    refuse(cx, {}, line.words[at].span,
           fmt::format("'backend' cannot handle unexpected argument '{}'.", line.words[at].text));
    return false;
  }
  cx.diagnostics.notice(line.words[at].span, "'{}' : '{}' means nothing here.", keyword, line.words[at].text);
  return true;
}

}  // namespace

bool begin_global(ReadContext& cx, const grammar::Line& line) {
  cx.section = Section::global;
  if (line.words.size() > 1) {
    refuse(cx, {}, line.words[1].span,
           fmt::format("'global' cannot handle unexpected argument '{}'.", line.words[1].text));
  }
  return true;
}

bool begin_proxy(ReadContext& cx, const grammar::Line& line, Kind kind) {
  cx.section = section_of(kind);
  Header header;
  if (!read_header(cx, line, kind, header)) return false;
  const std::string name = header.name != nullptr ? header.name->text : "";
  const auto wrong = kind == Kind::defaults ? std::nullopt : wrong_in_name(name);
  if (wrong) {
    refuse(cx, {}, header.name->part(*wrong, 1),
           fmt::format("character '{}' is not permitted in '{}' name '{}'.", name[*wrong], line.words[0].text, name));
    return false;
  }
  std::optional<model::ProxyId> parent;
  if (header.from != nullptr) {
    parent = named_defaults(cx, *header.from,
                            fmt::format("{} '{}'", kind == Kind::listen ? "proxy" : line.words[0].text, name));
    if (!parent) return false;
  } else if (kind != Kind::defaults) {
    parent = cx.config.last_defaults;
  }
  model::Proxy proxy = parent ? heir_of(cx.config.proxies[*parent]) : model::Proxy{};
  proxy.kind = kind;
  proxy.name = name;
  proxy.defaults = parent;
  proxy.defaults_explicit = header.from != nullptr;
  proxy.span = line.span;
  proxy.name_span = header.name != nullptr ? header.name->span : line.words[0].span;
  check_duplicate(cx, proxy);
  if (parent) {
    check_inherited_rules(cx, proxy, *parent);
    check_mixed_use(cx, proxy, *parent);
    note_heir(cx.config.proxies[*parent], proxy);
  }
  const model::ProxyId id = cx.config.proxies.add(std::move(proxy));
  cx.config.proxies_by_name[name].push_back(id);
  if (kind == Kind::defaults) cx.config.last_defaults = id;
  cx.proxy = &cx.config.proxies[id];
  return true;
}

}  // namespace hawser::compiler
