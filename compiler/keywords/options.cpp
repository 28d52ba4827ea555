#include "compiler/keywords/options.h"

namespace hawser::compiler {

void refuse_option(ReadContext& cx, const OptionVoice& voice, const grammar::Word& word,
                   const std::vector<std::string_view>& known, std::span<const LaterWord> later) {
  const auto is_later = std::find_if(later.begin(), later.end(),
                                     [&](const LaterWord& one) { return one.name == word.text; });
  if (is_later != later.end()) {
    not_supported(cx, voice.known, word.span, fmt::format("'{}'", word.text));
    return;
  }
  grammar::Diagnostic& said =
      refuse(cx, voice.unknown, word.span, fmt::format("unknown keyword '{}'", word.text));
  std::vector<std::string_view> all = known;
  for (const LaterWord& one : later) all.push_back(one.name);
  const std::string_view meant = grammar::did_you_mean(word.text, all);
  if (!meant.empty()) said.with_hint(fmt::format("did you mean '{}'?", meant));
}

}  // namespace hawser::compiler
