#include "compiler/ir/line_reader.h"

#include <algorithm>
#include <charconv>

namespace hawser::ir {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) noexcept { return is_digit(c) || is_letter(c) || c == '_' || c == '.' || c == '-'; }
int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

bool LineReader::next() {
  if (text_.empty()) return false;
  const std::size_t end = std::min(text_.find('\n'), text_.size());
  line_ = text_.substr(0, end);
  text_.remove_prefix(std::min(end + 1, text_.size()));
  ++number_;
  return true;
}

void LineReader::fail(std::string text) {
  if (error_.empty()) error_ = std::move(text);
  line_ = text_ = {};
}

char LineReader::first() noexcept {
  line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
  return line_.empty() ? '\0' : line_.front();
}

bool LineReader::eat(std::string_view text) {
  first();
  if (!line_.starts_with(text)) return false;
  // A word is not the beginning of another.
  const bool word = text.size() > 1 && is_letter(text.back());
  if (word && line_.size() > text.size() && is_name(line_[text.size()])) return false;
  line_.remove_prefix(text.size());
  return true;
}

void LineReader::expect(std::string_view text) {
  if (!eat(text)) fail("'" + std::string(text) + "' is expected");
}

void LineReader::expect_end() {
  if (first() != '\0' || !line_.empty()) fail("something stands behind the end of the line");
}

std::string_view LineReader::name() {
  first();
  const auto end = std::find_if_not(line_.begin(), line_.end(), is_name);
  const std::string_view text = line_.substr(0, static_cast<std::size_t>(end - line_.begin()));
  line_.remove_prefix(text.size());
  return text;
}

std::string_view LineReader::word(std::string_view end) {
  first();
  const std::size_t size =
      static_cast<std::size_t>(std::find_if(line_.begin(), line_.end(),
                                            [&](char c) { return c == ' ' || end.find(c) != std::string_view::npos; }) -
                               line_.begin());
  const std::string_view text = line_.substr(0, size);
  line_.remove_prefix(size);
  return text;
}

std::string LineReader::quoted() {
  std::string text;
  expect("\"");
  while (ok()) {
    if (line_.empty()) {
      fail("a text has no end");
      break;
    }
    const char c = line_.front();
    line_.remove_prefix(1);
    if (c == '"') return text;
    if (c != '\\') {
      text += c;
    } else if (line_.size() >= 3 && line_[0] == 'x' && hex_digit(line_[1]) >= 0 && hex_digit(line_[2]) >= 0) {
      text += static_cast<char>(hex_digit(line_[1]) * 16 + hex_digit(line_[2]));
      line_.remove_prefix(3);
    } else if (!line_.empty() && (line_[0] == '"' || line_[0] == '\\')) {
      text += line_[0];
      line_.remove_prefix(1);
    } else {
      fail("an escape is unknown");
    }
  }
  return {};
}

std::optional<std::int64_t> LineReader::maybe_integer() {
  const char c = first();
  if (!is_digit(c) && !(c == '-' && line_.size() > 1 && is_digit(line_[1]))) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
  if (error != std::errc()) {
    fail("a number is too large");
    return 0;
  }
  line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
  return value;
}

std::int64_t LineReader::integer() {
  const auto value = maybe_integer();
  if (!value) fail("a number is expected");
  return value.value_or(0);
}

std::uint64_t LineReader::number_below(std::uint64_t limit) {
  const std::int64_t value = integer();
  if (ok() && value >= 0 && static_cast<std::uint64_t>(value) < limit) return static_cast<std::uint64_t>(value);
  fail("there is no number " + std::to_string(value) + " here");
  return 0;
}

void LineReader::expect_index(std::size_t index) {
  if (number_below(std::uint64_t{1} << 32) != index) fail("number " + std::to_string(index) + " is expected");
}

bool LineReader::starts_register() noexcept { return first() == 'r' && line_.size() > 1 && is_digit(line_[1]); }

std::size_t LineReader::one_of(std::span<const std::string_view> words, std::string_view what) {
  const std::string_view text = word("");
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) fail(std::string(what) + " is expected");
  return found == words.end() ? 0 : static_cast<std::size_t>(found - words.begin());
}

}  // namespace hawser::ir
