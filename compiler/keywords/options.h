// Reads the options at the end of a `bind`, `server` or `stats socket` line: a word, its arguments, the next word.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {

// HAProxy words it differently when it knows the option and dislikes its argument, and when it does not know it.
struct OptionVoice {
  Voice known;
  Voice unknown;
};

// "unknown keyword 'frob'" of argument `at`, with the closest option as a hint; `later`: those that we know and refuse.
void refuse_option(ReadContext& cx, const OptionVoice& voice, const Args& line, std::size_t at,
                   const std::vector<std::string_view>& known, std::span<const LaterWord> later);

// The options from argument `first` on, each applied to `target`. False when one was refused; the others were
// read all the same, up to the first that is unknown.
template <class Target>
bool read_options(ReadContext& cx, std::span<const Option<Target>> rows, std::span<const LaterWord> later,
                  const Args& line, std::size_t first, const OptionVoice& voice, Target& target) {
  const std::size_t errors_before = cx.diagnostics.fatal_count();
  for (std::size_t at = first; line.has(at) && !line.text(at).empty();) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Option<Target>& one) { return one.name == line.text(at); });
    if (row == rows.end()) {
      std::vector<std::string_view> known;
      for (const Option<Target>& one : rows) known.push_back(one.name);
      refuse_option(cx, voice, line, at, known, later);
      return false;
    }
    const std::size_t word = line.first() + at;
    Args args(line.line(), row->name, word, word + 1);
    args.voice = voice.known;
    if (read_arguments(cx, row->params, {}, word + 1 + row->params.size(), args)) row->lower(cx, target, args);
    at += 1 + row->params.size();
  }
  return cx.diagnostics.fatal_count() == errors_before;
}

}  // namespace hawser::compiler
