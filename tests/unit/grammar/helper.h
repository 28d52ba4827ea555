// What the grammar's tests share: a text as a source, its words, and the messages that reading it gave.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostics.h"
#include "grammar/reader.h"

namespace hawser::grammar::test {

struct Config {
  explicit Config(std::string_view text) : file(sources.add("t.cfg", std::string(text))), diagnostics(sources) {
    tree = ast::parse(file, sources, diagnostics);
  }

  // All lines, words parted by '|'.
  std::vector<std::string> lines() {
    Reader reader(tree, sources, environment, diagnostics);
    if (predicates) reader.set_predicates(predicates);
    std::vector<std::string> out;
    while (const auto line = reader.next()) {
      std::string& text = out.emplace_back();
      for (const Word& word : line->words) text += (text.empty() ? "" : "|") + word.text;
    }
    return out;
  }

  std::vector<Word> words() {
    Reader reader(tree, sources, environment, diagnostics);
    auto line = reader.next();
    return line ? line->words : std::vector<Word>();
  }

  // The texts of the messages, one a line.
  std::string messages() const {
    std::string out;
    for (const Diagnostic& one : diagnostics.all()) {
      if (one.level != Level::diag) out += one.text + '\n';
    }
    return out;
  }

  Sources sources;
  FileId file;
  Diagnostics diagnostics;
  ast::File tree;
  Environment environment;
  Reader::Predicate predicates;
};

// The first word of `text`, read with the quoting of a line.
struct OneWord : Config {
  explicit OneWord(std::string_view text) : Config(std::string(text) + "\n") {
    auto read = words();
    if (!read.empty()) word = std::move(read.front());
  }
  Word word;
};

// A word that is `text`, byte for byte.
inline Word word_of(std::string_view text) {
  Word word;
  word.text = text;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    word.columns.push_back(i);
    word.ends.push_back(i + 1);
  }
  word.columns.push_back(static_cast<std::uint32_t>(text.size()));
  word.span = {FileId(0), 1, 0, static_cast<std::uint32_t>(text.size())};
  return word;
}

}  // namespace hawser::grammar::test
