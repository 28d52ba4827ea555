// `hawser help --unsupported`.
#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/keywords/actions.h"
#include "compiler/keywords/keyword.h"
#include "compiler/resolve/names.h"

namespace hawser::compiler {
namespace {

void append(std::string& text, std::string_view kind, std::span<const LaterWord> words) {
  for (const LaterWord& word : words) text += fmt::format("{} {}\n", kind, word.name);
}

void append_names(std::string& text, std::string_view kind, std::span<const std::string_view> words) {
  for (const std::string_view word : words) text += fmt::format("{} {}\n", kind, word);
}

}  // namespace

std::string unsupported_words() {
  std::string text;
  append(text, "section", later_words(WordKind::section));
  append(text, "global", later_words(WordKind::global));
  append(text, "proxy", later_words(WordKind::proxy));
  append(text, "bind", later_words(WordKind::bind));
  append(text, "server", later_words(WordKind::server));
  for (std::size_t at = 0; at < std::size(model::kRulesets); ++at) {
    append_names(text, model::kRulesets[at].keyword, later_actions(static_cast<model::Ruleset>(at)));
  }
  append_names(text, "fetch", later_names(NameKind::fetch));
  append_names(text, "converter", later_names(NameKind::converter));
  append_names(text, "criterion", later_names(NameKind::criterion));
  append_names(text, "alias", later_names(NameKind::alias));
  return text;
}

}  // namespace hawser::compiler
