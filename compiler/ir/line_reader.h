// The words of a text, line by line: what the parser of the printed IR is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/abi/program.h"

namespace hawser::ir {

// Remembers the first thing that is wrong; from then on everything that is read is empty or 0.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  // On to the next line; false at the end of the text.
  bool next();
  std::size_t number() const noexcept { return number_; }

  bool ok() const noexcept { return error_.empty(); }
  const std::string& error() const noexcept { return error_; }
  void fail(std::string text);

  // All of these leave out blanks before what they read.
  bool eat(std::string_view text);  // a whole word, if `text` ends like one
  void expect(std::string_view text);
  void expect_end();
  std::string_view name();                          // letters, digits, '_', '.' and '-'
  std::string_view word(std::string_view end);      // up to a blank or a byte of `end`
  std::string quoted();                             // "…" with \" \\ \xNN
  std::uint64_t number_below(std::uint64_t limit);  // decimal
  void expect_index(std::size_t index);             // this number
  std::int64_t integer();
  std::optional<std::int64_t> maybe_integer();
  bool starts_quoted() noexcept { return first() == '"'; }
  bool starts_register() noexcept;  // r and digits
  std::size_t one_of(std::span<const std::string_view> words, std::string_view what);

  // The value whose name_of() is the next name.
  template <class E>
  E named(std::size_t count, std::string_view what) {
    const std::string_view text = name();
    for (std::size_t at = 0; ok() && at < count; ++at) {
      if (abi::name_of(static_cast<E>(at)) == text) return static_cast<E>(at);
    }
    fail(std::string(what) + " is expected");
    return {};
  }

 private:
  char first() noexcept;

  std::string_view text_;  // behind this line
  std::string_view line_;  // what is left of it
  std::size_t number_ = 0;
  std::string error_;
};

}  // namespace hawser::ir
