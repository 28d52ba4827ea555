// Conditions: if/unless TERM… [or TERM…]. They are made of whole words, so that their grammar is this walk:
//
//   condition = ("if" | "unless") term* (("or" | "||") term*)*
//   term      = "!"* (NAME | "{" WORD* "}")         the "!" may stand alone, or before the name or brace
//
// As haproxy 2.6 reads them: "or" in any case of letters; groups without a term are dropped, so that `if` alone
// never holds; a "!" before an "or" is forgotten.
#include <cctype>

#include "grammar/expressions.h"

namespace hawser::grammar {

namespace {

bool is_or(std::string_view text) {
  if (text == "||") return true;
  return text.size() == 2 && (text[0] | 0x20) == 'o' && (text[1] | 0x20) == 'r';
}

class ConditionReader {
 public:
  ConditionReader(const std::vector<Word>& words, std::size_t first, Diagnostics& diagnostics)
      : words_(words), at_(first), diagnostics_(diagnostics) {}

  // The groups, or nothing after a mistake.
  std::optional<std::vector<std::vector<TermSyntax>>> read() {
    for (; at_ < words_.size(); ++at_) {
      const Word& word = words_[at_];
      std::string_view text = word.text;
      while (!text.empty() && text.front() == '!') {
        if (!negation_) negation_ = word.part(word.text.size() - text.size(), 1);
        negated_ = !negated_;
        text.remove_prefix(1);
      }
      if (text.empty()) continue;
      if (is_or(text)) {
        end_group();
      } else if (text == "{") {
        if (!braced_term()) return std::nullopt;
      } else {
        add({.negated = negated_,
             .name = std::string(text),
             .words = {},
             .span = word.part(word.text.size() - text.size(), text.size())});
      }
    }
    end_group();
    return std::move(any_of_);
  }

 private:
  void end_group() {
    if (!group_.empty()) any_of_.push_back(std::move(group_));
    group_.clear();
    forget_negation();
  }

  void forget_negation() {
    negated_ = false;
    negation_.reset();
  }

  void add(TermSyntax term) {
    if (negation_) term.span = cover(*negation_, term.span);
    group_.push_back(std::move(term));
    forget_negation();
  }

  bool braced_term() {
    const std::size_t open = at_;
    const Word& brace = words_[open];
    const Span brace_span = brace.part(brace.text.size() - 1, 1);
    TermSyntax term{.negated = negated_, .anonymous = true, .name = {}, .words = {}, .span = brace_span};
    for (++at_; at_ < words_.size() && words_[at_].text != "}"; ++at_) term.words.push_back(words_[at_]);
    if (at_ == words_.size()) {
      diagnostics_.error(brace_span, "missing closing '}}' in condition.");
      return false;
    }
    term.span = cover(term.span, words_[at_].span);
    add(std::move(term));
    return true;
  }

  const std::vector<Word>& words_;
  std::size_t at_;
  Diagnostics& diagnostics_;
  bool negated_ = false;
  std::optional<Span> negation_;
  std::vector<TermSyntax> group_;
  std::vector<std::vector<TermSyntax>> any_of_;
};

}  // namespace

std::optional<ConditionSyntax> parse_condition(const std::vector<Word>& words, std::size_t first,
                                               Diagnostics& diagnostics) {
  if (first >= words.size() || (words[first].text != "if" && words[first].text != "unless")) {
    const Span span = first < words.size() ? words[first].span : words.empty() ? Span{} : words.back().span;
    diagnostics.error(span, "expects either 'if' or 'unless' followed by a condition but found '{}'.",
                      first < words.size() ? std::string_view(words[first].text) : std::string_view());
    return std::nullopt;
  }
  auto any_of = ConditionReader(words, first + 1, diagnostics).read();
  if (!any_of) return std::nullopt;
  return ConditionSyntax{words[first].text == "unless", std::move(*any_of),
                         cover(words[first].span, words.back().span)};
}

}  // namespace hawser::grammar
