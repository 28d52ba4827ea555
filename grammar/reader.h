// Lines of expanded words, in order: what the compiler reads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/diagnostics.h"

namespace hawser::grammar {

inline constexpr std::size_t kWordsMax = 64;  // as haproxy 2.6

// An expanded word, with the way back from a byte of it to the source. A word that stands in no file (an
// argument of the command line) has its text alone.
struct Word {
  std::string text;
  Span span;                           // of the unexpanded word
  std::vector<std::uint32_t> columns;  // source column of each byte of `text`, and of its end
  std::vector<std::uint32_t> ends;     // the column behind each byte: an escape or a variable is wider than one

  // The source of text[at, at + length).
  Span part(std::size_t at, std::size_t length) const noexcept;
  operator std::string_view() const noexcept { return text; }  // NOLINT(google-explicit-constructor)
};

struct Line {
  Span span;
  std::vector<Word> words;  // never empty

  // From word `first` to the end of the line; of the whole line when there are fewer words.
  Span from(std::size_t first) const noexcept;
};

// The variables of "$NAME", at first the process's own. setenv and its relatives change it between lines.
class Environment {
 public:
  static Environment of_process();
  std::optional<std::string_view> get(std::string_view name) const;
  void set(std::string name, std::string value);
  void set_if_absent(std::string name, std::string value);
  void unset(std::string_view name);
  void keep_only(const std::vector<std::string_view>& names);
  const std::map<std::string, std::string, std::less<>>& all() const noexcept { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Walks one file. Blank lines, comments and SPOE scopes are skipped; `.if` … `.endif` blocks choose lines;
// `.notice`, `.warning`, `.alert` and `.diag` are carried out.
//
// An empty word ends the line, as in haproxy 2.6: `bind :80 "" name x` is `bind :80`. (A diag message tells.)
class Reader {
 public:
  Reader(const ast::File& file, const Sources& sources, Environment& environment, Diagnostics& diagnostics);

  // What `${.SECTION}` stands for: the name of the section being read, "" before the first.
  void set_section(std::string_view name);

  // The answer to `defined`-like predicates of `.if` that the grammar cannot know: `feature(NAME)`,
  // `enabled(NAME)`, `version_atleast(V)` … Returns nothing for an unknown predicate.
  using Predicate = std::function<std::optional<bool>(std::string_view name, const std::vector<std::string>& args)>;
  void set_predicates(Predicate predicate);

  // The next line that has words, or nothing at the end of the file.
  std::optional<Line> next();

 private:
  // One entry for each open `.if`: whether its current branch is taken, and whether one was.
  struct Branch {
    bool taken = false;
    bool done = false;
    bool in_else = false;
    Span span;
  };

  std::optional<std::vector<Word>> expand(const ast::Line& line);
  bool skipping() const noexcept { return !branches_.empty() && !branches_.back().taken; }
  void directive(std::vector<Word> words);
  void open_branch(const std::vector<Word>& words);
  void next_branch(const std::vector<Word>& words);
  void close_branch(const std::vector<Word>& words);
  bool takes(const std::vector<Word>& words);
  bool has_no_arguments(const std::vector<Word>& words);
  void say(const std::vector<Word>& words);
  void end_of_file();

  const ast::File& file_;
  const Sources& sources_;
  Environment& environment_;
  Diagnostics& diagnostics_;
  std::string section_;
  Predicate predicate_;
  std::size_t at_ = 0;
  std::vector<Branch> branches_;
};

// Expands $NAME and ${NAME} in text that stands outside quotes: address arguments have this expansion of
// their own. As in haproxy 2.6 there are no defaults, an unset variable is empty,
// and the closing brace may be missing. Expand before parse_address().
std::string expand_address(std::string_view text, const Environment& environment);
Word expand_address(const Word& word, const Environment& environment);

// The condition of `.if` and `-cc`: nothing, after an error in `diagnostics`, when it is malformed. An empty
// one is false.
std::optional<bool> evaluate_predicate(const Word& condition, const Environment& environment,
                                       const Reader::Predicate& predicate, Diagnostics& diagnostics);

}  // namespace hawser::grammar
