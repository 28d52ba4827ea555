#include "compiler/keywords/vocabulary.h"

#include <algorithm>
#include <map>
#include <string>

namespace hawser::compiler {
namespace {

constexpr std::size_t kNameWordsMax = 3;

// Everything that may stand in `global`, or everything that may stand in a proxy.
struct Vocabulary {
  std::map<std::string_view, Meaning> by_name;

  explicit Vocabulary(bool global) {
    const auto words_of = [](std::string_view name) {
      return 1 + static_cast<std::size_t>(std::count(name.begin(), name.end(), ' '));
    };
    for (const RemovedWord& word : removed_words()) {
      if ((word.kind == WordKind::global) == global) {
        by_name[word.name] = {.removed = &word, .words = words_of(word.name)};
      }
    }
    for (const LaterWord& word : later_words(global ? WordKind::global : WordKind::proxy)) {
      by_name[word.name] = {.later = &word, .words = words_of(word.name)};
    }
    for (const std::span<const Keyword> table : keyword_tables()) {
      for (const Keyword& row : table) {
        const bool in_global = contains(row.sections, Section::global);
        const bool in_proxies = row.sections != Section::global;
        if (global ? in_global : in_proxies) by_name[row.name] = {.row = &row, .words = words_of(row.name)};
      }
    }
  }
};

const Vocabulary& vocabulary(Section section) {
  static const Vocabulary global(true);
  static const Vocabulary proxies(false);
  return section == Section::global ? global : proxies;
}

std::string_view before_parenthesis(std::string_view word) { return word.substr(0, word.find('(')); }

bool usable(const Meaning& meaning, Section section) {
  if (meaning.row != nullptr) return contains(meaning.row->sections, section);
  if (meaning.later != nullptr) return section == Section::global || contains(meaning.later->sections, section);
  return false;
}

}  // namespace

Meaning find_keyword(Section section, const grammar::Line& line, std::size_t at) {
  const Vocabulary& words = vocabulary(section);
  Meaning best;
  std::string name;
  for (std::size_t count = 1; count <= kNameWordsMax && at + count <= line.words.size(); ++count) {
    if (count > 1) name += ' ';
    const std::string_view text = line.words[at + count - 1].text;
    name += count > 1 ? before_parenthesis(text) : text;
    if (const auto found = words.by_name.find(name); found != words.by_name.end()) best = found->second;
  }
  return best;
}

std::vector<std::string_view> family_of(Section section, std::string_view first) {
  std::vector<std::string_view> members;
  for (const auto& [name, meaning] : vocabulary(section).by_name) {
    const std::size_t blank = name.find(' ');
    if (blank == std::string_view::npos || name.substr(0, blank) != first || meaning.removed != nullptr) continue;
    members.push_back(name.substr(blank + 1));
  }
  return members;
}

std::vector<std::string_view> first_words(Section section) {
  std::vector<std::string_view> words;
  for (const auto& [name, meaning] : vocabulary(section).by_name) {
    const std::string_view first = name.substr(0, name.find(' '));
    if (usable(meaning, section) && (words.empty() || words.back() != first)) words.push_back(first);
  }
  return words;
}

}  // namespace hawser::compiler
