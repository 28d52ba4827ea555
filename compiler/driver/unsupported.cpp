// `hawser help --unsupported`.
#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

void append(std::string& text, std::string_view kind, std::span<const LaterWord> words) {
  for (const LaterWord& word : words) text += fmt::format("{} {}\n", kind, word.name);
}

}  // namespace

std::string unsupported_words() {
  std::string text;
  append(text, "section", later_words(WordKind::section));
  append(text, "global", later_words(WordKind::global));
  append(text, "proxy", later_words(WordKind::proxy));
  append(text, "bind", later_words(WordKind::bind));
  append(text, "server", later_words(WordKind::server));
  return text;
}

}  // namespace hawser::compiler
