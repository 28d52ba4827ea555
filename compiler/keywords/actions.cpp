// `http-request`, `http-response`, `tcp-request` and `tcp-response`: the look-up of a rule's action, its words, its condition, its place.
#include "compiler/keywords/actions.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace hawser::compiler {
namespace {

struct ActionRow {
  abi::ActionId id;
  std::string_view name;
  bool in_parentheses;  // "set-var(…)"
  ActionReader read;
};

constexpr ActionRow kActions[] = {
    {abi::ActionId::deny, "deny", false, read_reply_action},
    {abi::ActionId::return_, "return", false, read_reply_action},
    {abi::ActionId::redirect, "redirect", false, read_redirect_action},
    {abi::ActionId::allow, "allow", false, read_plain_action},
    {abi::ActionId::set_header, "set-header", false, read_field_action},
    {abi::ActionId::add_header, "add-header", false, read_field_action},
    {abi::ActionId::del_header, "del-header", false, read_del_header},
    {abi::ActionId::set_var, "set-var", true, read_set_var},
    {abi::ActionId::accept, "accept", false, read_plain_action},
    {abi::ActionId::reject, "reject", false, read_plain_action},
    {abi::ActionId::close, "close", false, read_plain_action},
    {abi::ActionId::silent_drop, "silent-drop", false, read_silent_drop},
    {abi::ActionId::tarpit, "tarpit", false, read_reply_action},
    {abi::ActionId::set_src, "set-src", false, read_address_action},
    {abi::ActionId::set_src_port, "set-src-port", false, read_address_action},
    {abi::ActionId::set_dst, "set-dst", false, read_address_action},
    {abi::ActionId::set_dst_port, "set-dst-port", false, read_address_action},
};
static_assert(std::size(kActions) == static_cast<std::size_t>(abi::ActionId::count_));

// In which rulesets each may stand, by its row in actions.def.
constexpr unsigned of(model::Ruleset ruleset) { return 1u << static_cast<unsigned>(ruleset); }
constexpr unsigned request = of(model::Ruleset::http_request);
constexpr unsigned response = of(model::Ruleset::http_response);
constexpr unsigned connection = of(model::Ruleset::tcp_connection);
constexpr unsigned session = of(model::Ruleset::tcp_session);
constexpr unsigned content = of(model::Ruleset::tcp_content);
constexpr unsigned answer = of(model::Ruleset::tcp_response);
constexpr unsigned kRulesetsOf[] = {
#define ACTION(id, name, rulesets, ...) rulesets,
#include "runtime/abi/actions.def"
#undef ACTION
};

// Every action that HAProxy knows, in the order in which 2.6 lists them in its messages; "(*)" ends those
// that are followed by parentheses or a number.
// clang-format off
constexpr std::string_view kRequestActions[] = {
    "wait-for-handshake", "ot-group", "set-log-level", "set-nice", "use-service", "sc-inc-gpc(*)", "sc-inc-gpc0(*)",
    "sc-inc-gpc1(*)", "sc-set-gpt(*)", "sc-set-gpt0(*)", "send-spoe-group", "do-resolve(*)", "cache-use", "add-acl(*)",
    "add-header", "allow", "auth", "capture", "del-acl(*)", "del-header", "del-map(*)", "deny", "disable-l7-retry",
    "early-hint", "normalize-uri", "redirect", "reject", "replace-header", "replace-path", "replace-pathq",
    "replace-uri", "replace-value", "return", "set-header", "set-map(*)", "set-method", "set-path", "set-pathq",
    "set-query", "set-uri", "strict-mode", "tarpit", "track-sc(*)", "set-timeout", "wait-for-body", "set-var-fmt(*)",
    "set-var(*)", "unset-var(*)", "set-dst", "set-dst-port", "set-mark", "set-src", "set-src-port", "set-tos",
    "silent-drop", "set-priority-class", "set-priority-offset"};
constexpr std::string_view kResponseActions[] = {
    "ot-group", "set-log-level", "set-nice", "sc-inc-gpc(*)", "sc-inc-gpc0(*)", "sc-inc-gpc1(*)", "sc-set-gpt(*)",
    "sc-set-gpt0(*)", "send-spoe-group", "cache-store", "add-acl(*)", "add-header", "allow", "capture", "del-acl(*)",
    "del-header", "del-map(*)", "deny", "redirect", "replace-header", "replace-value", "return", "set-header",
    "set-map(*)", "set-status", "strict-mode", "track-sc(*)", "wait-for-body", "set-var-fmt(*)", "set-var(*)",
    "unset-var(*)", "set-mark", "set-tos", "silent-drop"};
constexpr std::string_view kConnectionActions[] = {
    "accept", "reject", "capture", "expect-proxy", "expect-netscaler-cip", "track-sc(*)", "sc-inc-gpc(*)",
    "sc-inc-gpc0(*)", "sc-inc-gpc1(*)", "sc-set-gpt(*)", "sc-set-gpt0(*)", "set-var-fmt(*)", "set-var(*)",
    "unset-var(*)", "set-dst", "set-dst-port", "set-mark", "set-src", "set-src-port", "set-tos", "silent-drop"};
constexpr std::string_view kContentActions[] = {
    "accept", "reject", "capture", "expect-proxy", "expect-netscaler-cip", "track-sc(*)", "ot-group", "set-log-level",
    "set-nice", "switch-mode", "use-service", "sc-inc-gpc(*)", "sc-inc-gpc0(*)", "sc-inc-gpc1(*)", "sc-set-gpt(*)",
    "sc-set-gpt0(*)", "send-spoe-group", "do-resolve(*)", "set-var-fmt(*)", "set-var(*)", "unset-var(*)", "set-src",
    "set-src-port", "set-dst", "set-dst-port", "set-mark", "set-tos", "silent-drop", "set-priority-class",
    "set-priority-offset"};
constexpr std::string_view kAnswerActions[] = {
    "accept", "close", "reject", "ot-group", "set-log-level", "set-nice", "sc-inc-gpc(*)", "sc-inc-gpc0(*)",
    "sc-inc-gpc1(*)", "sc-set-gpt(*)", "sc-set-gpt0(*)", "send-spoe-group", "set-var-fmt(*)", "set-var(*)",
    "unset-var(*)", "set-mark", "set-tos", "silent-drop"};
// Those that are newer than 2.6.
constexpr std::string_view kNewRequestActions[] = {
    "add-headers-bin", "del-headers-bin", "do-log", "pause", "sc-add-gpc(*)", "set-bandwidth-limit", "set-bc-mark",
    "set-bc-tos", "set-fc-mark", "set-fc-tos", "set-headers-bin", "set-retries", "lua.(*)"};
constexpr std::string_view kNewResponseActions[] = {
    "add-headers-bin", "del-headers-bin", "do-log", "pause", "sc-add-gpc(*)", "set-bandwidth-limit", "set-fc-mark",
    "set-fc-tos", "set-headers-bin", "set-timeout", "lua.(*)"};
constexpr std::string_view kNewConnectionActions[] = {
    "attach-srv", "do-log", "sc-add-gpc(*)", "set-fc-mark", "set-fc-tos", "lua.(*)"};
constexpr std::string_view kNewContentActions[] = {
    "do-log", "sc-add-gpc(*)", "set-bandwidth-limit", "set-bc-mark", "set-bc-tos", "set-fc-mark", "set-fc-tos",
    "set-retries", "lua.(*)"};
constexpr std::string_view kNewAnswerActions[] = {
    "do-log", "sc-add-gpc(*)", "set-bandwidth-limit", "set-fc-mark", "set-fc-tos", "lua.(*)"};
// clang-format on

std::span<const std::string_view> listed_actions(model::Ruleset ruleset) noexcept {
  switch (ruleset) {
    case model::Ruleset::http_response: return kResponseActions;
    case model::Ruleset::tcp_connection:
    case model::Ruleset::tcp_session: return kConnectionActions;
    case model::Ruleset::tcp_content: return kContentActions;
    case model::Ruleset::tcp_response: return kAnswerActions;
    default: return kRequestActions;
  }
}
std::span<const std::string_view> new_actions(model::Ruleset ruleset) noexcept {
  switch (ruleset) {
    case model::Ruleset::http_response: return kNewResponseActions;
    case model::Ruleset::tcp_connection:
    case model::Ruleset::tcp_session: return kNewConnectionActions;
    case model::Ruleset::tcp_content: return kNewContentActions;
    case model::Ruleset::tcp_response: return kNewAnswerActions;
    default: return kNewRequestActions;
  }
}

std::string_view without_star(std::string_view name) noexcept {
  return name.ends_with("(*)") ? name.substr(0, name.size() - 3) : name;
}

bool is_named(std::string_view row, std::string_view word) noexcept {
  return row.ends_with("(*)") ? word.starts_with(without_star(row)) : word == row;
}

bool knows(std::span<const std::string_view> names, std::string_view word) noexcept {
  return std::any_of(names.begin(), names.end(), [&](std::string_view row) { return is_named(row, word); });
}

const ActionRow* find_action(std::string_view word, model::Ruleset ruleset) noexcept {
  for (const ActionRow& row : kActions) {
    if ((kRulesetsOf[static_cast<std::size_t>(row.id)] & of(ruleset)) == 0) continue;
    if (word == row.name) return &row;
    // "set-varx(a)" is a set-var with a mistake, but "set-var-fmt(a)" is not.
    if (row.in_parentheses && word.starts_with(row.name) && !word.starts_with("set-var-fmt")) return &row;
  }
  return nullptr;
}

// The names of a ruleset as a message lists them.
std::string names_listed(model::Ruleset ruleset) {
  std::string text;
  for (const std::string_view name : listed_actions(ruleset)) {
    if (!text.empty()) text += ", ";
    const bool is_tracking = ruleset >= model::Ruleset::tcp_connection && name == "track-sc(*)";
    text += is_tracking ? "'track-sc0' ... 'track-sc2'" : fmt::format("'{}'", name);
  }
  return text;
}

void refuse_action(ReadContext& cx, const grammar::Line& line, std::size_t at, model::Ruleset ruleset) {
  const bool is_missing = line.words.size() <= at || line.words[at].text.empty();
  const std::string_view word = is_missing ? std::string_view() : std::string_view(line.words[at].text);
  const grammar::Span span = is_missing ? line.words[at - 1].span : line.words[at].span;
  const bool is_tcp = ruleset >= model::Ruleset::tcp_connection;
  const Voice voice{.before = {}, .after = {}, .origin = is_tcp ? grammar::Origin::parsing : grammar::Origin::tokens};
  const std::span<const std::string_view> listed = listed_actions(ruleset);
  const std::string_view keyword = model::row_of(ruleset).keyword;
  if (!is_missing && (knows(listed, word) || knows(new_actions(ruleset), word))) {
    const std::string_view name = word.substr(0, word.find('('));
    not_supported(cx, voice, span, fmt::format("the action '{} {}'", keyword, name));
    return;
  }
  std::vector<std::string_view> names;
  for (const std::string_view name : listed) names.push_back(without_star(name));
  const std::string_view guess =
      is_missing ? std::string_view() : grammar::did_you_mean(word.substr(0, word.find('(')), names);
  std::string text = fmt::format("'{}' expects {}", keyword, names_listed(ruleset));
  if (is_tcp) {
    text += fmt::format(" in {} (got '{}').", cx.proxy_title(), word);
  } else {
    text += is_missing ? std::string(", but got '' (missing argument).") : fmt::format(", but got '{}'.", word);
  }
  if (!guess.empty()) text += fmt::format(" Did you mean '{}' maybe ?", guess);
  refuse(cx, voice, span, text).suggest(guess);
}

// What follows the action's own words.
bool read_rule_condition(ActionWords& words, model::Rule& rule) {
  const grammar::Word* const word = words.next();
  if (word == nullptr) return true;
  if (!words.next_is_condition() && words.in_tcp()) {
    refuse(words.context(), {}, word->span,
           fmt::format("'{}' only accepts 'if' or 'unless', in {} (got '{}')", words.title(),
                       words.context().proxy_title(), word->text));
    return false;
  }
  if (!words.next_is_condition()) {
    refuse(words.context(), {.before = {}, .after = {}, .origin = grammar::Origin::tokens}, word->span,
           fmt::format("'{}' expects either 'if' or 'unless' followed by a condition but found '{}'.", words.title(),
                       word->text));
    return false;
  }
  Where where{words.where().point,
              {.before = fmt::format("error detected while parsing an '{}' condition : ", words.title()),
               .after = ".",
               .origin = grammar::Origin::parsing}};
  if (words.in_tcp()) {
    where.voice.before = fmt::format("'{}' : error detected in {} while parsing '{}' condition : ", words.title(),
                                     words.context().proxy_title(), word->text);
    where.voice.after = "";
  }
  auto condition = resolve_condition(words.context(), words.line(), words.at, where);
  if (!condition) return false;
  rule.condition = std::move(*condition);
  return true;
}

void warn_of_order(ReadContext& cx, const grammar::Line& line, std::string_view later) {
  cx.diagnostics.warning(line.words[0].span, "a '{}' rule placed after a '{}' rule will still be processed before.",
                         line.words[0].text, later);
}

constexpr bool kFinal[] = {
#define ACTION(id, name, rulesets, final, ...) final,
#include "runtime/abi/actions.def"
#undef ACTION
};

// Says that nothing behind an unconditional end of the same section is ever reached. `redirect_lines`: those
// at the end of `rules`.
void warn_behind_end(ReadContext& cx, const grammar::Line& line, const std::vector<model::Rule>& rules,
                     std::size_t redirect_lines) {
  if (rules.size() == redirect_lines) return;
  const model::Rule& last = rules[rules.size() - redirect_lines - 1];
  const grammar::Span& section = cx.proxy->span;
  const bool is_inherited = last.span.file != section.file || last.span.line < section.line;
  if (is_inherited || last.condition || !kFinal[static_cast<std::size_t>(last.action)]) return;
  cx.diagnostics
      .warning(line.words[0].span,
               "previous '{}' action is final and has no condition attached, further entries are NOOP.",
               line.words[0].text)
      .label(last.span, "nothing after this one is reached")
      .from(grammar::Origin::tokens);
}

// The rules of redirect lines stay behind all others.
void add_request_rule(model::Proxy& proxy, model::Rule rule) {
  auto& rules = proxy.rules[static_cast<std::size_t>(model::Ruleset::http_request)];
  rules.insert(rules.end() - static_cast<std::ptrdiff_t>(proxy.redirect_lines), std::move(rule));
}

// False after a message.
bool read_rule(ReadContext& cx, const grammar::Line& line, model::Ruleset ruleset) {
  auto& rules = cx.proxy->rules[static_cast<std::size_t>(ruleset)];
  const bool is_tcp = ruleset >= model::Ruleset::tcp_connection;
  const bool is_request = ruleset == model::Ruleset::http_request;
  if (!is_tcp) warn_behind_end(cx, line, rules, is_request ? cx.proxy->redirect_lines : 0);
  const std::size_t at = is_tcp ? 2 : 1;
  const std::string_view word = line.words.size() > at ? std::string_view(line.words[at].text) : std::string_view();
  const ActionRow* const row = find_action(word, ruleset);
  if (row == nullptr) return refuse_action(cx, line, at, ruleset), false;
  ActionWords words(cx, line, at, ruleset);
  model::Rule rule;
  rule.action = row->id;
  rule.span = line.span;
  if (!row->read(words, rule) || !read_rule_condition(words, rule)) return false;
  if (is_request) {
    add_request_rule(*cx.proxy, std::move(rule));
  } else {
    rules.push_back(std::move(rule));
  }
  return true;
}

}  // namespace

ActionWords::ActionWords(ReadContext& cx, const grammar::Line& line, std::size_t keyword_at, model::Ruleset ruleset)
    : at(keyword_at + 1), cx_(cx), line_(line), keyword_at_(keyword_at), ruleset_(ruleset) {
  where_.point = model::row_of(ruleset).point;
  if (in_tcp()) return;  // only its conditions are introduced
  const std::string rule = keyword_at == 0 ? line.words[0].text + " rule" : fmt::format("'{}' rule", title());
  where_.voice = {.before = fmt::format("error detected in {} while parsing {} : ", cx.proxy_title(), rule),
                  .after = ".",
                  .origin = grammar::Origin::parsing};
}

std::string ActionWords::title() const {
  if (keyword_at_ == 0) return action().text;
  return fmt::format("{} {}", model::row_of(ruleset_).keyword, action().text);
}

const grammar::Word* ActionWords::word(std::size_t index) const noexcept {
  if (index >= line_.words.size()) return nullptr;
  for (std::size_t i = at; i <= index; ++i) {
    if (line_.words[i].text.empty()) return nullptr;
  }
  return &line_.words[index];
}

bool ActionWords::next_is(std::string_view text) const noexcept {
  const grammar::Word* const word = next();
  return word != nullptr && word->text == text;
}

grammar::Diagnostic& ActionWords::refuse(grammar::Span span, std::string_view reason) {
  return compiler::refuse(cx_, where_.voice, span, reason);
}

grammar::Diagnostic& ActionWords::not_supported(grammar::Span span, std::string_view what) {
  return compiler::not_supported(cx_, where_.voice, span, what);
}

std::vector<std::string_view> later_actions(model::Ruleset ruleset) {
  std::vector<std::string_view> names;
  for (const auto rows : {listed_actions(ruleset), new_actions(ruleset)}) {
    for (const std::string_view row : rows) {
      if (find_action(without_star(row), ruleset) == nullptr) names.push_back(without_star(row));
    }
  }
  return names;
}

void read_http_request(ReadContext& cx, const grammar::Line& line) {
  if (!read_rule(cx, line, model::Ruleset::http_request)) return;
  if (cx.proxy->redirect_lines != 0) {
    warn_of_order(cx, line, "redirect");
  } else if (!cx.proxy->backend_rules.empty()) {
    warn_of_order(cx, line, "use_backend");
  }
}

void read_http_response(ReadContext& cx, const grammar::Line& line) {
  read_rule(cx, line, model::Ruleset::http_response);
}

void read_tcp_rule(ReadContext& cx, const grammar::Line& line, model::Ruleset ruleset) { read_rule(cx, line, ruleset); }

void read_redirect(ReadContext& cx, const grammar::Line& line) {
  ActionWords words(cx, line, 0, model::Ruleset::http_request);
  model::Rule rule;
  rule.action = abi::ActionId::redirect;
  rule.span = line.span;
  if (!read_redirection(words, rule, false)) return;
  cx.proxy->rules[static_cast<std::size_t>(model::Ruleset::http_request)].push_back(std::move(rule));
  ++cx.proxy->redirect_lines;
  if (!cx.proxy->backend_rules.empty()) warn_of_order(cx, line, "use_backend");
}

}  // namespace hawser::compiler
