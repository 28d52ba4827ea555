// `acl`, `use_backend` and `log-format`.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/resolve/rules.h"

namespace hawser::compiler {
namespace {

bool is_acl_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

const grammar::Word* word_at(const grammar::Line& line, std::size_t at) noexcept {
  return at < line.words.size() && !line.words[at].text.empty() ? &line.words[at] : nullptr;
}

bool acl_name_is_right(ReadContext& cx, const grammar::Line& line) {
  const grammar::Word* const name = word_at(line, 1);
  const Voice voice;
  if (name == nullptr) return refuse(cx, voice, line.words[0].span, "'acl' expects a name and a criterion."), false;
  const auto wrong = std::find_if_not(name->text.begin(), name->text.end(), is_acl_name_byte);
  if (wrong != name->text.end()) {
    const auto at = static_cast<std::size_t>(wrong - name->text.begin());
    refuse(cx, voice, name->part(at, 1),
           fmt::format("character '{}' is not permitted in acl name '{}'.", *wrong, name->text));
    return false;
  }
  std::string lowered = name->text;
  for (char& c : lowered) c = static_cast<char>(c | 0x20);
  if (lowered != "or") return true;
  refuse(
      cx, voice, name->span,
      fmt::format("acl name '{}' will never match. 'or' is used to express a logical disjunction within a condition.",
                  name->text));
  return false;
}

// A name that is a format; nothing after a message.
std::optional<model::Format> resolve_backend_format(ReadContext& cx, const grammar::Word& name) {
  const Where where{abi::EntryPoint::choose_backend,
                    {.before = fmt::format("failed to parse use_backend rule '{}' : ", name.text),
                     .after = ".",
                     .origin = grammar::Origin::late}};
  return resolve_format(cx, name, where);
}

}  // namespace

void read_acl(ReadContext& cx, const grammar::Line& line) {
  if (!acl_name_is_right(cx, line)) return;
  const std::string& name = line.words[1].text;
  const Voice voice{.before = fmt::format("error detected while parsing ACL '{}' : ", name),
                    .after = ".",
                    .origin = grammar::Origin::parsing};
  auto test = resolve_test(cx, line.words, 2, name, voice);
  if (!test) return;
  const auto found = cx.proxy->acls.find(name);
  if (found != cx.proxy->acls.end()) {
    cx.config.acls[found->second].tests.push_back(std::move(*test));
    return;
  }
  model::Acl acl;
  acl.name = name;
  acl.span = line.words[1].span;
  acl.tests.push_back(std::move(*test));
  cx.proxy->acls.emplace(name, cx.config.acls.add(std::move(acl)));
}

void read_use_backend(ReadContext& cx, const grammar::Line& line) {
  const grammar::Word* const name = word_at(line, 1);
  if (name == nullptr) {
    refuse(cx, {}, line.words[0].span, "'use_backend' expects a backend name.");
    return;
  }
  model::BackendRule rule;
  rule.span = line.span;
  if (const grammar::Word* const word = word_at(line, 2)) {
    if (word->text != "if" && word->text != "unless") {
      refuse(
          cx, {}, word->span,
          fmt::format("unexpected keyword '{}' after switching rule, only 'if' and 'unless' are allowed.", word->text));
      return;
    }
    const Where where{
        abi::EntryPoint::choose_backend,
        {.before = "error detected while parsing switching rule : ", .after = ".", .origin = grammar::Origin::parsing}};
    auto condition = resolve_condition(cx, line, 2, where);
    if (!condition) return;
    rule.condition = std::move(*condition);
  }
  rule.backend_name = name->text;
  if (name->text.find('%') != std::string::npos) {
    auto format = resolve_backend_format(cx, *name);
    if (!format) return;
    if (format->constant()) {
      rule.backend_name.clear();
      for (const model::FormatPart& part : format->parts) rule.backend_name += part.text;
    } else {
      rule.dynamic = std::move(*format);
    }
  }
  cx.proxy->backend_rules.push_back(std::move(rule));
}

void read_log_format(ReadContext& cx, const grammar::Line& line) {
  const grammar::Word* const word = word_at(line, 1);
  if (word == nullptr) return;
  cx.proxy->log_style = {model::Proxy::LogStyle::custom, line.words[0].span};
  cx.proxy->log_format_text = word->text;
  cx.proxy->log_format_word = *word;
}

}  // namespace hawser::compiler
