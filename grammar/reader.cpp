// Walking the lines of a file: expansion, conditional blocks, messages.
#include "grammar/reader.h"

#include <algorithm>

#include "grammar/expand.h"
#include "grammar/predicate.h"

namespace hawser::grammar {

namespace {

constexpr std::size_t kNestedIfsMax = 100;  // haproxy 2.6: "too many nested '.if', max is 100."

bool is_scope_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.:").find(c) != std::string_view::npos;
}

// "[name]" and perhaps a comment. The scope itself means nothing outside SPOE files.
void check_scope(const ast::Word& word, Diagnostics& diagnostics) {
  const std::string_view text = word.segments.front().text;
  const auto at = [&](std::size_t offset) {
    return Span{word.span.file, word.span.line, word.span.column + static_cast<std::uint32_t>(offset), 1};
  };
  std::size_t end = 1;
  while (end < text.size() && is_scope_byte(text[end])) ++end;
  if (end < text.size() && text[end] != ']') {
    diagnostics.error(at(end), "character '{}' is not permitted in a scope name.", text[end]);
    return;
  }
  if (end == 1 || end == text.size()) {
    diagnostics.error(at(0), "empty scope name is forbidden.");
    return;
  }
  end = text.find_first_not_of(" \t\v\f", end + 1);
  if (end != std::string_view::npos && text[end] != '#') {
    diagnostics.error(at(end), "character '{}' is not permitted after scope declaration.", text[end]);
  }
}

// The words from the second on with single blanks between them, as one word.
Word join_arguments(const std::vector<Word>& words) {
  Word joined{{}, words.back().span, {}, {}};
  if (words.size() > 1) joined.span = cover(words[1].span, words.back().span);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (i > 1) {
      joined.text += ' ';
      joined.columns.push_back(words[i - 1].columns.back());
      joined.ends.push_back(word.span.column);
    }
    joined.text += word.text;
    joined.columns.insert(joined.columns.end(), word.columns.begin(), word.columns.end() - 1);
    joined.ends.insert(joined.ends.end(), word.ends.begin(), word.ends.end());
  }
  joined.columns.push_back(joined.span.column + joined.span.length);
  return joined;
}

}  // namespace

Span Word::part(std::size_t at, std::size_t length) const noexcept {
  if (columns.size() != text.size() + 1 || ends.size() != text.size() || at > text.size()) return span;
  length = std::min(length, text.size() - at);
  const std::uint32_t begin = columns[at];
  const std::uint32_t end = length == 0 ? begin : std::max(begin, ends[at + length - 1]);
  return {span.file, span.line, begin, end - begin};
}

Span Line::from(std::size_t first) const noexcept {
  return first < words.size() ? cover(words[first].span, words.back().span) : span;
}

Reader::Reader(const ast::File& file, const Sources& sources, Environment& environment, Diagnostics& diagnostics)
    : file_(file), sources_(sources), environment_(environment), diagnostics_(diagnostics) {}

void Reader::set_section(std::string_view name) { section_ = name; }

void Reader::set_predicates(Predicate predicate) { predicate_ = std::move(predicate); }

std::optional<Line> Reader::next() {
  while (at_ < file_.lines.size()) {
    const ast::Line& line = file_.lines[at_++];
    if (line.broken || line.words.empty()) continue;
    if (line.words.front().segments.front().kind == ast::SegmentKind::scope) {
      if (!skipping()) check_scope(line.words.front(), diagnostics_);
      continue;
    }
    std::optional<std::vector<Word>> words = expand(line);
    if (!words) continue;
    if (words->front().text.starts_with('.')) {
      directive(std::move(*words));
      continue;
    }
    if (skipping()) continue;
    const auto empty = std::find_if(words->begin(), words->end(), [](const Word& word) { return word.text.empty(); });
    if (empty != words->end()) {
      diagnostics_.add({.level = Level::diag,
                        .fatal = false,
                        .span = empty->span,
                        .text = fmt::format("argument number {} is empty and marks the end of the argument list.",
                                            empty - words->begin())});
      words->erase(empty, words->end());
    }
    if (words->empty()) continue;
    const Span span = cover(words->front().span, words->back().span);
    return Line{span, std::move(*words)};
  }
  end_of_file();
  return std::nullopt;
}

std::optional<std::vector<Word>> Reader::expand(const ast::Line& line) {
  std::vector<Word> words = expand_words(line, {environment_, sources_.name(file_.file), line.span.line, section_});
  if (words.size() <= kWordsMax) return words;
  std::size_t position = 1;
  for (std::size_t i = 0; i + 1 < kWordsMax; ++i) position += words[i].text.size() + 1;
  diagnostics_
      .error(cover(words[kWordsMax].span, words.back().span),
             "too many words, truncating after word {}, position {}: <{}>.", kWordsMax, position,
             words[kWordsMax - 1].text)
      .from(Origin::tokens);
  return std::nullopt;
}

void Reader::directive(std::vector<Word> words) {
  const std::string& name = words.front().text;
  if (name == ".if") return open_branch(words);
  if (name == ".elif" || name == ".else") return next_branch(words);
  if (name == ".endif") return close_branch(words);
  if (skipping()) return;
  if (name == ".notice" || name == ".warning" || name == ".alert" || name == ".diag") return say(words);
  static const std::vector<std::string_view> kNames = {".if",     ".elif",    ".else",  ".endif",
                                                       ".notice", ".warning", ".alert", ".diag"};
  diagnostics_.error(words.front().span, "unknown directive '{}'.", name)
      .from(Origin::tokens)
      .suggest(did_you_mean(name, kNames));
}

void Reader::open_branch(const std::vector<Word>& words) {
  const Span span = words.front().span;
  if (branches_.size() + 1 >= kNestedIfsMax) {
    diagnostics_.error(span, "too many nested '.if', max is {}.", kNestedIfsMax).from(Origin::tokens);
    at_ = file_.lines.size();
    branches_.clear();
    return;
  }
  if (skipping()) {
    branches_.push_back({.taken = false, .done = true, .in_else = false, .span = span});
    return;
  }
  branches_.push_back({.taken = false, .done = true, .in_else = false, .span = span});
  const bool taken = takes(words);
  branches_.back().taken = taken;
}

// Whether the condition behind `.if` or `.elif` holds. After a mistake in it the block is skipped as a whole.
bool Reader::takes(const std::vector<Word>& words) {
  const Word condition = join_arguments(words);
  const auto outcome = evaluate(condition.text, environment_, predicate_);
  if (const bool* holds = std::get_if<bool>(&outcome)) {
    branches_.back().done = *holds;
    return *holds;
  }
  const PredicateError& mistake = std::get<PredicateError>(outcome);
  branches_.back().done = true;
  Span span = condition.part(mistake.at, 1);
  if (span.length == 0) span.length = 1;
  diagnostics_.error(span, "{} in '{}' at position {}:", mistake.text, words.front().text, mistake.at + 1)
      .from(Origin::tokens);
  return false;
}

bool Reader::has_no_arguments(const std::vector<Word>& words) {
  if (words.size() < 2 || words[1].text.empty()) return true;
  diagnostics_.error(words[1].span, "Unexpected argument '{}' for '{}'.", words[1].text, words.front().text)
      .from(Origin::tokens);
  return false;
}

void Reader::next_branch(const std::vector<Word>& words) {
  const std::string& name = words.front().text;
  if (branches_.empty()) {
    diagnostics_.error(words.front().span, "lone '{}' with no matching '.if'.", name).from(Origin::tokens);
    return;
  }
  Branch& branch = branches_.back();
  if (branch.in_else) {
    diagnostics_.error(words.front().span, "'{}' after '.else' is not permitted.", name)
        .from(Origin::tokens)
        .label(branch.span, "the '.if' of this block");
    branch.taken = false;
    return;
  }
  if (name == ".else") {
    has_no_arguments(words);
    branch.in_else = true;
    branch.taken = !branch.done;
    branch.done = true;
    return;
  }
  branch.taken = !branch.done && takes(words);
}

void Reader::close_branch(const std::vector<Word>& words) {
  if (branches_.empty()) {
    diagnostics_.error(words.front().span, "lone '.endif' with no matching '.if'.").from(Origin::tokens);
    return;
  }
  has_no_arguments(words);
  branches_.pop_back();
}

// `.notice` and its relatives. `.alert` ends the reading.
void Reader::say(const std::vector<Word>& words) {
  const std::string& name = words.front().text;
  if (words.size() > 2 && !words[2].text.empty()) {
    diagnostics_
        .error(words[2].span, "Unexpected argument '{}' for '{}'. Use quotes if the message should contain spaces.",
               words[2].text, name)
        .from(Origin::tokens);
    return;
  }
  const Level level = name == ".alert"     ? Level::alert
                      : name == ".warning" ? Level::warning
                      : name == ".notice"  ? Level::notice
                                           : Level::diag;
  const std::string_view text = words.size() > 1 ? std::string_view(words[1].text) : std::string_view();
  diagnostics_.add({.level = level,
                    .origin = Origin::tokens,
                    .fatal = level == Level::alert,
                    .span = words.size() > 1 ? words[1].span : words[0].span,
                    .text = fmt::format("'{}'.", text)});
  if (level != Level::alert) return;
  at_ = file_.lines.size();
  branches_.clear();
}

void Reader::end_of_file() {
  if (branches_.empty()) return;
  const Span last{file_.file, static_cast<std::uint32_t>(file_.lines.size()), 0, 0};
  diagnostics_.error(last, "non-terminated '.if' block.")
      .from(Origin::tokens)
      .label(branches_.back().span, "the block begins here");
  branches_.clear();
}

std::optional<bool> evaluate_predicate(const Word& condition, const Environment& environment,
                                       const Reader::Predicate& predicate, Diagnostics& diagnostics) {
  const auto outcome = evaluate(condition.text, environment, predicate);
  if (const bool* holds = std::get_if<bool>(&outcome)) return *holds;
  const PredicateError& mistake = std::get<PredicateError>(outcome);
  diagnostics.error(condition.part(mistake.at, 1), "Failed to evaluate condition: {}", mistake.text)
      .from(Origin::config);
  return std::nullopt;
}

}  // namespace hawser::grammar
