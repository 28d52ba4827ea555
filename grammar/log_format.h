// Collects the items of a log format, and words its mistakes. Knows no PEGTL.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "grammar/calls.h"

namespace hawser::grammar {

class LogFormatBuilder {
 public:
  LogFormatBuilder(const Word& word, bool collapse_blanks, Diagnostics& diagnostics)
      : word_(word), collapse_blanks_(collapse_blanks), diagnostics_(diagnostics) {}

  void text(std::string_view bytes);
  void blanks(std::string_view bytes);
  void field_name(std::string_view text);
  void field_type(std::string_view text);
  void braces(std::string_view text);  // without them
  void alias(std::string_view name);
  // "%…[": reads the sample and its ']'. `sample_end` is then the byte behind it.
  void sample(std::string_view bracket);
  std::size_t sample_end() const noexcept { return sample_end_; }

  void truncated(std::string_view text);         // '%' and the end of the text
  void truncated_braces(std::string_view text);  // "%{…" and the end of the text
  void no_variable(std::string_view text);       // "%{…}" and something that is no alias
  void blank_name(std::string_view text);        // "% "

  bool failed() const noexcept { return failed_; }
  std::vector<FormatItem> take() { return std::move(items_); }

 private:
  struct Flags {
    bool quote = false, hex = false, escape = false, mandatory = false;
  };
  std::size_t offset(std::string_view text) const noexcept {
    return static_cast<std::size_t>(text.data() - word_.text.data());
  }
  Span span(std::string_view text) const { return word_.part(offset(text), text.size()); }
  Flags flags_of_braces() const;
  FormatItem& add(FormatItem::Kind kind, std::string_view from, std::size_t end);
  void apply_prefix(FormatItem& item, const Flags& flags);
  void clear_prefix();
  void mistake(Span where, std::string text);

  const Word& word_;
  bool collapse_blanks_;
  Diagnostics& diagnostics_;
  std::vector<FormatItem> items_;
  Flags standing_;  // of the last %o
  std::string_view name_, type_, braces_;
  const char* prefix_ = nullptr;  // where %(…){…} begins
  std::size_t sample_end_ = 0;
  bool failed_ = false;
};

// The grammar (log_format_parser.cpp).
void read_log_format(std::string_view text, LogFormatBuilder& builder);
std::size_t analyze_log_format();

}  // namespace hawser::grammar
