// Expansion of words, measured on haproxy 2.6.
#include "grammar/expand.h"

#include <algorithm>
#include <optional>

namespace hawser::grammar {

namespace {

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  return (c | 0x20) - 'a' + 10;
}

char escaped(std::string_view escape) noexcept {
  switch (escape[1]) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    case 'x': return static_cast<char>(hex_digit(escape[2]) * 16 + hex_digit(escape[3]));
    default: return escape[1];
  }
}

// A reference as the grammar let it pass: $NAME, ${NAME}, ${NAME[*]}, ${NAME-default} …
struct Reference {
  std::string_view name;
  bool many = false;
  std::optional<std::string_view> fallback;
};

Reference take_apart(std::string_view text) {
  text.remove_prefix(1);
  if (text.front() == '{') text = text.substr(1, text.size() - 2);
  Reference reference;
  const auto name_end = std::find_if(text.begin() + 1, text.end(), [](char c) { return !is_name_byte(c); });
  reference.name = text.substr(0, static_cast<std::size_t>(name_end - text.begin()));
  text.remove_prefix(reference.name.size());
  reference.many = text.substr(0, 3) == "[*]";
  if (reference.many) text.remove_prefix(3);
  if (!text.empty()) reference.fallback = text.substr(1);
  return reference;
}

std::string value_of(const Reference& reference, const Scope& scope) {
  if (reference.name == ".FILE") return std::string(scope.file_name);
  if (reference.name == ".LINE") return std::to_string(scope.line);
  if (reference.name == ".SECTION") return std::string(scope.section);
  return std::string(scope.environment.get(reference.name).value_or(reference.fallback.value_or("")));
}

class WordsBuilder {
 public:
  explicit WordsBuilder(const Scope& scope) : scope_(scope) {}

  void add(const ast::Word& word) {
    begin(word);
    for (const ast::Segment& segment : word.segments) add(segment);
    finish(word.span.column + word.span.length);
  }

  std::vector<Word> take() { return std::move(words_); }

 private:
  void begin(const ast::Word& word) {
    words_.push_back({{}, word.span, {}, {}});
    cut_ = false;
  }

  void finish(std::uint32_t column) { words_.back().columns.push_back(column); }

  void byte(char c, std::uint32_t column, std::size_t width) {
    if (c == '\0') cut_ = true;  // haproxy's words end there
    if (cut_) return;
    Word& word = words_.back();
    word.text += c;
    word.columns.push_back(column);
    word.ends.push_back(column + static_cast<std::uint32_t>(width));
  }

  void add(const ast::Segment& segment) {
    switch (segment.kind) {
      case ast::SegmentKind::double_quote:
      case ast::SegmentKind::single_quote: return;
      case ast::SegmentKind::escape: return byte(escaped(segment.text), segment.column, segment.text.size());
      case ast::SegmentKind::variable: return add_value(segment);
      case ast::SegmentKind::plain:
      case ast::SegmentKind::scope: break;
    }
    for (std::size_t i = 0; i < segment.text.size(); ++i) {
      byte(segment.text[i], segment.column + static_cast<std::uint32_t>(i), 1);
    }
  }

  // With [*], every run of blanks in the value ends a word, also at its ends.
  void add_value(const ast::Segment& segment) {
    const Reference reference = take_apart(segment.text);
    const std::string value = value_of(reference, scope_);
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!reference.many || !is_blank(value[i])) {
        byte(value[i], segment.column, segment.text.size());
        continue;
      }
      while (i + 1 < value.size() && is_blank(value[i + 1])) ++i;
      finish(segment.column);
      words_.push_back({{}, words_.back().span, {}, {}});
      cut_ = false;
    }
  }

  const Scope& scope_;
  std::vector<Word> words_;
  bool cut_ = false;
};

// Calls `literal(at)` for each byte outside references and `reference(name, at, width)` for each reference.
template <class Literal, class Named>
void walk_address(std::string_view text, Literal literal, Named named) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      literal(at++);
      continue;
    }
    std::size_t end = at + 1;
    const bool braced = end < text.size() && text[end] == '{';
    if (braced) ++end;
    const std::size_t name = end;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    const std::string_view found = text.substr(name, end - name);
    if (braced && end < text.size() && text[end] == '}') ++end;
    named(found, at, end - at);
    at = end;
  }
}

}  // namespace

std::vector<Word> expand_words(const ast::Line& line, const Scope& scope) {
  WordsBuilder builder(scope);
  for (const ast::Word& word : line.words) builder.add(word);
  return builder.take();
}

std::string expand_address(std::string_view text, const Environment& environment) {
  std::string out;
  walk_address(
      text, [&](std::size_t at) { out += text[at]; },
      [&](std::string_view name, std::size_t, std::size_t) { out += environment.get(name).value_or(""); });
  return out;
}

Word expand_address(const Word& word, const Environment& environment) {
  if (word.text.find('$') == std::string::npos) return word;
  Word out{{}, word.span, {}, {}};
  const auto byte = [&](char c, const Span& span) {
    out.text += c;
    out.columns.push_back(span.column);
    out.ends.push_back(span.column + span.length);
  };
  walk_address(
      word.text, [&](std::size_t at) { byte(word.text[at], word.part(at, 1)); },
      [&](std::string_view name, std::size_t at, std::size_t width) {
        for (const char c : environment.get(name).value_or("")) byte(c, word.part(at, width));
      });
  out.columns.push_back(word.span.column + word.span.length);
  return out;
}

}  // namespace hawser::grammar
