// set-header, add-header, del-header, set-var, allow.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "compiler/keywords/actions.h"
#include "compiler/resolve/availability.h"
#include "compiler/resolve/patterns.h"

namespace hawser::compiler {
namespace {

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return lowered;
}

constexpr std::string_view kNameMatches[] = {"str", "beg", "end", "sub", "reg"};
constexpr std::string_view kVariableConditions[] = {"ifexists", "ifnotexists", "ifempty", "ifnotempty",
                                                    "ifset",    "ifnotset",    "ifgt",    "iflt"};

template <std::size_t count>
bool contains_word(const std::string_view (&words)[count], std::string_view word) noexcept {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// NAME of "set-var(NAME)" or of "set-var(NAME,CONDITION)".
std::optional<std::string_view> variable_name(ActionWords& words) {
  constexpr std::string_view kExpects =
      "Expects 'set-var(<var-name>)', 'set-var-fmt(<var-name>)' or 'unset-var(<var-name>)'";
  const grammar::Word& action = words.action();
  const std::string_view text = action.text;
  const std::string_view inside = text.substr(std::string_view("set-var").size());
  if (!inside.starts_with('(')) {
    words.refuse(action.span, fmt::format("invalid or incomplete action '{}'. {}", text, kExpects));
    return std::nullopt;
  }
  if (!inside.ends_with(')')) {
    words.refuse(action.span, fmt::format("incomplete argument after action '{}'. {}", text, kExpects));
    return std::nullopt;
  }
  std::string_view name = inside.substr(1, inside.size() - 2);
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos) return name;
  const std::string_view condition = name.substr(comma + 1, name.find(',', comma + 1) - comma - 1);
  const grammar::Span span = action.part(text.size() - inside.size() + 2 + comma, condition.size());
  if (contains_word(kVariableConditions, condition)) {
    words.not_supported(span, fmt::format("the condition '{}' of set-var", condition));
  } else {
    words.refuse(span, fmt::format("unknown condition \"{}\"", condition));
  }
  return std::nullopt;
}

}  // namespace

bool read_plain_action(ActionWords&, model::Rule&) { return true; }

bool read_field_action(ActionWords& words, model::Rule& rule) {
  const grammar::Word* const name = words.next();
  const grammar::Word* const value = name != nullptr ? words.word(words.at + 1) : nullptr;
  if (value == nullptr) {
    words.refuse(name != nullptr ? name->span : words.action().span, "expects exactly 2 arguments");
    return false;
  }
  rule.name = lower_case(name->text);
  auto format = resolve_format(words.context(), *value, words.where());
  if (!format) return false;
  rule.format = std::move(*format);
  words.at += 2;
  return true;
}

bool read_del_header(ActionWords& words, model::Rule& rule) {
  const grammar::Word* const name = words.next();
  if (name == nullptr) return words.refuse(words.action().span, "expects at least 1 argument"), false;
  rule.name = lower_case(name->text);
  rule.method = "str";
  ++words.at;
  if (!words.next_is("-m")) return true;
  const grammar::Word& flag = *words.next();
  ++words.at;
  const grammar::Word* const method = words.next();
  if (method == nullptr) return words.refuse(flag.span, "-m flag expects exactly 1 argument"), false;
  if (!contains_word(kNameMatches, method->text)) {
    words.refuse(method->span, fmt::format("-m with unsupported matching method '{}'", method->text));
    return false;
  }
  rule.method = method->text;
  ++words.at;
  if (rule.method != "reg") return true;
  // Names of fields are in lower case, and an expression is taken as it is written, with captures (haproxy 2.6 does the same).
  rule.name = name->text;
  if (const auto wrong = problem_of_regex(rule.name, {.captures = true})) {
    grammar::Span span = name->part(wrong->offset, 1);
    span.length = std::max<std::uint32_t>(span.length, 1);
    words.refuse(span, wrong->reason);
    return false;
  }
  return true;
}

bool read_set_var(ActionWords& words, model::Rule& rule) {
  const auto name = variable_name(words);
  if (!name) return false;
  const std::size_t name_at = words.action().text.find('(') + 1;
  auto variable =
      parse_variable(words.context(), *name, words.action().part(name_at, name->size()), words.where().voice);
  if (!variable) return false;
  rule.variable = std::move(*variable);
  auto sample = resolve_sample(words.context(), words.line().words, words.at, words.where());
  if (!sample) return false;
  const FetchRow& fetch = row_of(sample->fetch);
  if (!available_at(fetch, words.where().point)) {
    words.refuse(sample->span,
                 fmt::format("fetch method '{}' extracts information from '{}', none of which is available "
                             "here",
                             words.action().text, needs_of(fetch)));
    return false;
  }
  sample->fetch = fetch_meant_at(sample->fetch, words.where().point);
  rule.sample = std::move(*sample);
  return true;
}

}  // namespace hawser::compiler
