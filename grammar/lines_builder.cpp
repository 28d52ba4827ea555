// The tree of a line, and haproxy 2.6's words for what is wrong with it.
#include "grammar/lines_builder.h"

namespace hawser::grammar::ast {

void LineBuilder::gap(std::string_view blanks) {
  line_.gaps.push_back(blanks);
  in_word_ = false;
}

void LineBuilder::segment(SegmentKind kind, std::string_view text) {
  if (!in_word_) {
    line_.words.push_back({{line_.span.file, line_.span.line, column(text.data()), 0}, {}});
    in_word_ = true;
  }
  Word& word = line_.words.back();
  word.segments.push_back({kind, quoted_, text, column(text.data())});
  word.span.length = column(text.data() + text.size()) - word.span.column;
}

void LineBuilder::open_quote(SegmentKind kind, std::string_view text) {
  segment(kind, text);
  quoted_ = true;
  quote_ = text.data();
}

void LineBuilder::close_quote(SegmentKind kind, std::string_view text) {
  quoted_ = false;
  segment(kind, text);
}

void LineBuilder::report(const char* at, std::size_t length, std::string_view text, bool shows_line) {
  if (line_.broken) return;
  line_.broken = true;
  const std::uint32_t where = column(at);
  diagnostics_
      .error({line_.span.file, line_.span.line, where, static_cast<std::uint32_t>(length)}, "{} at position {}{}", text,
             where + 1, shows_line ? ":" : ".")
      .from(Origin::tokens);
}

void LineBuilder::unmatched_quote(std::string_view) {
  quoted_ = false;
  report(quote_, 1, "unmatched quote", true);
}

void LineBuilder::bad_hex(std::string_view text) {
  segment(SegmentKind::plain, text);
  report(text.data(), text.size(), "truncated or invalid hexadecimal sequence", true);
}

void LineBuilder::bad_name(std::string_view text) {
  segment(SegmentKind::plain, text);
  report(text.data() + text.size(), 1, "forbidden first char in environment variable name", true);
}

void LineBuilder::bad_expansion(std::string_view text) {
  segment(SegmentKind::plain, text);
  report(text.data() + text.size(), 1, "truncated or invalid word expansion sequence", true);
}

void LineBuilder::unmatched_brace(std::string_view text) {
  segment(SegmentKind::plain, text);
  report(text.data() + 1, 1, "unmatched brace in environment variable name", true);
}

void LineBuilder::finish() {
  if (line_.gaps.size() == line_.words.size()) gap(text_.substr(0, 0));  // behind a scope
  line_.span.length = static_cast<std::uint32_t>(text_.size() - line_.terminator.size());
  const std::size_t nul = text_.find('\0');
  if (nul != std::string_view::npos) {
    line_.broken = false;  // worth a message besides another
    report(text_.data() + nul, 1, "Stray NUL character", false);
  }
  if (line_.terminator.empty()) {
    const bool broken = line_.broken;
    line_.broken = false;
    report(text_.data() + text_.size(), 1, "Missing LF on last line, file might have been truncated", false);
    line_.broken = broken;  // haproxy 2.6 reads such a line all the same
  }
}

}  // namespace hawser::grammar::ast
