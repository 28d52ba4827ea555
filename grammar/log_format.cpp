// Log formats: items with their flags, and haproxy 2.6's words for what is wrong.
#include "grammar/log_format.h"

#include <algorithm>

namespace hawser::grammar {

void LogFormatBuilder::mistake(Span where, std::string text) {
  failed_ = true;
  if (where.length == 0) where.length = 1;
  diagnostics_.error(where, "{}", text);
}

FormatItem& LogFormatBuilder::add(FormatItem::Kind kind, std::string_view from, std::size_t end) {
  FormatItem& item = items_.emplace_back();
  item.kind = kind;
  const std::size_t begin = offset(from);
  item.span = word_.part(begin, end - begin);
  return item;
}

void LogFormatBuilder::text(std::string_view bytes) {
  if (!items_.empty() && items_.back().kind == FormatItem::Kind::text) {
    items_.back().text += bytes;
    items_.back().span = cover(items_.back().span, span(bytes));
    return;
  }
  add(FormatItem::Kind::text, bytes, offset(bytes) + bytes.size()).text = bytes;
}

void LogFormatBuilder::blanks(std::string_view bytes) {
  if (!collapse_blanks_) return text(bytes);
  if (!items_.empty() && items_.back().kind == FormatItem::Kind::separator) return;
  add(FormatItem::Kind::separator, bytes, offset(bytes) + bytes.size());
}

void LogFormatBuilder::field_name(std::string_view text) {
  name_ = text;
  prefix_ = text.data() - 2;  // at "%("
}

void LogFormatBuilder::field_type(std::string_view text) { type_ = text; }

void LogFormatBuilder::braces(std::string_view text) {
  braces_ = text;
  if (prefix_ == nullptr) prefix_ = text.data() - 2;  // at "%{"
}

void LogFormatBuilder::clear_prefix() {
  name_ = type_ = braces_ = {};
  prefix_ = nullptr;
}

// Signs and letters in words of two bytes, parted by commas or blanks; haproxy 2.6 skips any other word.
LogFormatBuilder::Flags LogFormatBuilder::flags_of_braces() const {
  Flags flags = standing_;
  std::string_view rest = braces_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(", "), rest.size());
    const std::string_view flag = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (flag.size() != 2 || (flag[0] != '+' && flag[0] != '-')) continue;
    const bool on = flag[0] == '+';
    switch (flag[1]) {
      case 'Q': flags.quote = on; break;
      case 'X': flags.hex = on; break;
      case 'E': flags.escape = on; break;
      case 'M': flags.mandatory = on; break;
      default: break;
    }
  }
  return flags;
}

void LogFormatBuilder::alias(std::string_view name) {
  const Flags flags = flags_of_braces();
  if (name == "o") {
    standing_ = flags;
    return clear_prefix();
  }
  const char* const begin = prefix_ != nullptr ? prefix_ : name.data() - 1;
  FormatItem& item = add(FormatItem::Kind::alias, {begin, 1}, offset(name) + name.size());
  item.text = name;
  apply_prefix(item, flags);
  clear_prefix();
}

// What stood between the '%' and the item: its name, its type and its flags.
void LogFormatBuilder::apply_prefix(FormatItem& item, const Flags& flags) {
  item.field_name = name_;
  item.field_type = type_;
  item.argument = braces_;
  item.quote = flags.quote;
  item.hex = flags.hex;
  item.escape = flags.escape;
  item.mandatory = flags.mandatory;
}

void LogFormatBuilder::sample(std::string_view bracket) {
  const std::size_t at = offset(bracket) + 1;
  const std::string_view text = word_.text;
  Diagnostics found(diagnostics_.sources());
  std::optional<SampleRead> read = read_sample(word_, at, true, found);
  if (!read) {
    failed_ = true;
    const Within place(diagnostics_, fmt::format("failed to parse sample expression <{}> : ", text.substr(at)));
    for (const Diagnostic& one : found.all()) diagnostics_.add(one);
    return;
  }
  const std::size_t end = read->end;
  const std::string_view taken = text.substr(at, end - at);
  if (end == text.size()) {
    return mistake(word_.part(end, 1), fmt::format("missing ']' after '{}'.", taken));
  }
  if (text[end] != ']') {
    return mistake(word_.part(end, 1), fmt::format("expected ']' after '{}', but found '{}'.", taken, text[end]));
  }
  const Flags flags = flags_of_braces();
  const char* const begin = prefix_ != nullptr ? prefix_ : bracket.data() - 1;
  FormatItem& item = add(FormatItem::Kind::sample, {begin, 1}, end + 1);
  apply_prefix(item, flags);
  item.sample = std::move(read->sample);
  sample_end_ = end + 1;
  clear_prefix();
}

void LogFormatBuilder::truncated(std::string_view text) {
  mistake(word_.part(offset(text) - 1, 1), "truncated line after '%'.");
}

void LogFormatBuilder::truncated_braces(std::string_view) {
  const std::size_t open = offset(braces_) - 1;
  mistake(word_.part(open, braces_.size() + 1), fmt::format("truncated line after '{}'.", braces_));
}

void LogFormatBuilder::no_variable(std::string_view) {
  if (failed_) return;  // the braces have no end
  const std::size_t at = offset(braces_);
  mistake(word_.part(at - 2, braces_.size() + 3),
          fmt::format("parse argument modifier without variable name near '%{{{}}}'.", braces_));
}

void LogFormatBuilder::blank_name(std::string_view text) {
  const std::size_t at = offset(text);
  mistake(word_.part(at - 1, 1), fmt::format("unexpected variable name near ' ' at position {} line : '{}'. Maybe you "
                                             "want to write a single '%', use the syntax '%%'.",
                                             at, word_.text));
}

std::optional<std::vector<FormatItem>> parse_log_format(const Word& word, bool collapse_blanks,
                                                        Diagnostics& diagnostics) {
  LogFormatBuilder builder(word, collapse_blanks, diagnostics);
  read_log_format(word.text, builder);
  if (builder.failed()) return std::nullopt;
  return builder.take();
}

}  // namespace hawser::grammar
