// Unexpanded words into expanded ones: quotes and escapes go, variables become their values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/reader.h"

namespace hawser::grammar {

// What variables stand for on one line.
struct Scope {
  const Environment& environment;
  std::string_view file_name;
  std::uint32_t line = 0;
  std::string_view section;
};

// The words of a line, empty ones included: `${X[*]}` makes several of one.
std::vector<Word> expand_words(const ast::Line& line, const Scope& scope);

}  // namespace hawser::grammar
