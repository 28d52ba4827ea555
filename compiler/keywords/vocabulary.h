// Looks words up in the tables: what a line's first words mean in a section.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {

// At most one of the three is there. `words`: how many words the name takes.
struct Meaning {
  const Keyword* row = nullptr;
  const LaterWord* later = nullptr;
  const RemovedWord* removed = nullptr;
  std::size_t words = 0;
  bool known() const noexcept { return row != nullptr || later != nullptr || removed != nullptr; }
};

// The longest name that the words from `at` on begin with. What stands in parentheses behind a word, as in
// `http-check set-var(txn.x)`, is no part of the name.
Meaning find_keyword(Section section, const grammar::Line& line, std::size_t at);

// The second words of the names of several words that begin with `first`: of "timeout", "client" and the others.
std::vector<std::string_view> family_of(Section section, std::string_view first);

// The first words of everything that may stand in `section`, for "did you mean".
std::vector<std::string_view> first_words(Section section);

}  // namespace hawser::compiler
