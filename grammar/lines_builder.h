// Collects what the grammar of lines recognises into an ast::Line, and words its mistakes. Knows no PEGTL.
#pragma once

#include <string_view>

#include "grammar/ast.h"

namespace hawser::grammar::ast {

class LineBuilder {
 public:
  // `text` is the whole line with its terminator.
  LineBuilder(Line& line, std::string_view text, Diagnostics& diagnostics)
      : line_(line), text_(text), diagnostics_(diagnostics) {}

  void gap(std::string_view blanks);
  void segment(SegmentKind kind, std::string_view text);
  void open_double(std::string_view text) { open_quote(SegmentKind::double_quote, text); }
  void open_single(std::string_view text) { open_quote(SegmentKind::single_quote, text); }
  void close_double(std::string_view text) { close_quote(SegmentKind::double_quote, text); }
  void close_single(std::string_view text) { close_quote(SegmentKind::single_quote, text); }
  void tail(std::string_view text) { line_.comment = text; }
  void terminator(std::string_view text) { line_.terminator = text; }

  // Mistakes, with the bytes that the grammar took for them. Only the first of a line is reported, as haproxy
  // 2.6 does.
  void unmatched_quote(std::string_view nothing);
  void bad_hex(std::string_view text);        // \x
  void bad_name(std::string_view text);       // $ or ${
  void bad_expansion(std::string_view text);  // ${NAME, before a '['
  void unmatched_brace(std::string_view text);

  // When the line has been read: its span, stray NULs, the missing end of the last line.
  void finish();

 private:
  std::uint32_t column(const char* at) const noexcept { return static_cast<std::uint32_t>(at - text_.data()); }
  void open_quote(SegmentKind kind, std::string_view text);
  void close_quote(SegmentKind kind, std::string_view text);
  void report(const char* at, std::size_t length, std::string_view text, bool shows_line);

  Line& line_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  bool in_word_ = false;
  bool quoted_ = false;
  const char* quote_ = nullptr;  // the last opening quote
};

// The grammar (lines_parser.cpp): reads one line with its terminator. Every byte string is a line.
void read_line(std::string_view text, LineBuilder& builder);

// The mistakes that PEGTL's analysis finds in the grammar: 0.
std::size_t analyze_lines();

}  // namespace hawser::grammar::ast
