#include "compiler/keywords/options.h"

namespace hawser::compiler {
namespace {

bool is_later(std::span<const LaterWord> later, std::string_view text) {
  return std::any_of(later.begin(), later.end(), [&](const LaterWord& one) { return one.name == text; });
}

// "nor are 'inter', 'rise'": the words behind argument `at` that would be refused next, so that all are seen at
// once. How many arguments a refused option takes is not known, so this is a hint and no message of its own.
std::string others_of_line(const Args& line, std::size_t at, std::span<const LaterWord> later) {
  std::vector<std::string> others;
  for (std::size_t next = at + 1; line.has(next) && !line.text(next).empty(); ++next) {
    const std::string_view text = line.text(next);
    if (text == line.text(at) || !is_later(later, text)) continue;
    std::string quoted = fmt::format("'{}'", text);
    if (std::find(others.begin(), others.end(), quoted) == others.end()) others.push_back(std::move(quoted));
  }
  if (others.empty()) return {};
  return fmt::format("nor {} {}", others.size() == 1 ? "is" : "are", fmt::join(others, ", "));
}

}  // namespace

void refuse_option(ReadContext& cx, const OptionVoice& voice, const Args& line, std::size_t at,
                   const std::vector<std::string_view>& known, std::span<const LaterWord> later) {
  const grammar::Word& word = line.word(at);
  if (is_later(later, word.text)) {
    grammar::Diagnostic& said = not_supported(cx, voice.known, word.span, fmt::format("'{}'", word.text));
    const std::string others = others_of_line(line, at, later);
    if (!others.empty()) said.with_hint(others);
    return;
  }
  std::vector<std::string_view> all = known;
  for (const LaterWord& one : later) all.push_back(one.name);
  refuse(cx, voice.unknown, word.span, fmt::format("unknown keyword '{}'", word.text))
      .suggest(grammar::did_you_mean(word.text, all));
}

}  // namespace hawser::compiler
