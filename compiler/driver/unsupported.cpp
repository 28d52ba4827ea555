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

void append(std::string& text, std::string_view kind, std::span<const std::string_view> names) {
  for (const std::string_view name : names) text += fmt::format("{} {}\n", kind, name);
}

}  // namespace

std::string unsupported_words() {
  std::string text;
  append(text, "section", later_words(WordKind::section));
  append(text, "global", later_words(WordKind::global));
  append(text, "proxy", later_words(WordKind::proxy));
  append(text, "bind", later_words(WordKind::bind));
  append(text, "server", later_words(WordKind::server));
  append(text, "fetch", later_names(NameKind::fetch));
  append(text, "converter", later_names(NameKind::converter));
  append(text, "criterion", later_names(NameKind::criterion));
  append(text, "alias", later_names(NameKind::alias));
  append(text, "http-request", later_actions(model::Ruleset::http_request));
  append(text, "http-response", later_actions(model::Ruleset::http_response));
  return text;
}

}  // namespace hawser::compiler
