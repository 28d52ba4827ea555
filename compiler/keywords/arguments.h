// Arguments as data: what a row says of them, and how they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/keywords/context.h"
#include "grammar/expressions.h"
#include "grammar/reader.h"

namespace hawser::compiler {

enum class Take : std::uint8_t {
  word,
  integer,        // digits, with a sign
  loose_integer,  // as haproxy 2.6 reads the older keywords: "1k" is 1, "abc" is 0
  duration,       // in `unit`
  size,           // bytes: 16k, 1M
  choice,         // one of `choices`; the number is its index
  rest,           // every word that is left; at least one unless `optional`
};

struct Param {
  std::string_view name;
  Take take = Take::word;
  bool optional = false;
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;
  grammar::TimeUnit unit = grammar::TimeUnit::ms;
  std::span<const std::string_view> choices = {};
  // HAProxy's own words, where they are not the usual ones. {}: the word as written; of `missing`: the keyword.
  std::string_view missing = {};
  std::string_view invalid = {};
  std::string_view out_of_range = {};
};

// What is said of a word beyond the params. {0}: the keyword, {1}: the word, {2}: the word before it.
struct Extra {
  std::string_view refusal = "'{0}' cannot handle unexpected argument '{1}'.";  // empty: HAProxy does not look at it
};
inline constexpr Extra kUnread{.refusal = {}};

// How the messages of a line begin and end: "'bind :80' in section 'frontend' : … ".
struct Voice {
  std::string before = {};
  std::string after = {};
  grammar::Origin origin = grammar::Origin::parsing;
};

// The sound arguments of one keyword or option.
class Args {
 public:
  Args(const grammar::Line& line, std::string_view keyword, std::size_t keyword_at, std::size_t first)
      : line_(line), keyword_(keyword), keyword_at_(keyword_at), first_(first) {}

  const grammar::Line& line() const noexcept { return line_; }
  std::string_view keyword() const noexcept { return keyword_; }
  std::size_t first() const noexcept { return first_; }  // the index in the line of argument 0
  grammar::Span keyword_span() const noexcept;
  // The word of argument `at`, or of the keyword when there is none.
  grammar::Span span(std::size_t at) const noexcept;

  bool has(std::size_t at) const noexcept { return first_ + at < end_; }
  std::size_t count() const noexcept { return end_ - first_; }
  const grammar::Word& word(std::size_t at) const;  // must be there
  std::string_view text(std::size_t at) const;      // "" when left out
  std::int64_t number(std::size_t at) const;        // of integers, durations, sizes, choices; 0 when left out
  // The words from argument `at` on, with a blank between them.
  std::string joined(std::size_t at) const;

  // Argument `at` as a value of the model.
  template <class T>
  model::Setting<T> setting(std::size_t at) const {
    return {static_cast<T>(number(at)), span(at)};
  }
  // A number of things: a negative one is none.
  model::Setting<std::uint32_t> count_setting(std::size_t at) const {
    return {static_cast<std::uint32_t>(std::clamp<std::int64_t>(number(at), 0, UINT32_MAX)), span(at)};
  }
  model::Setting<std::string> text_setting(std::size_t at) const { return {std::string(text(at)), span(at)}; }

  bool negated = false;    // after `no`
  bool defaulted = false;  // after `default`
  Voice voice = {};        // for messages of the lowering

 private:
  friend bool read_arguments(ReadContext& cx, std::span<const Param> params, Extra extra, std::size_t end, Args& args);
  const grammar::Line& line_;
  std::string_view keyword_;
  std::size_t keyword_at_;
  std::size_t first_;
  std::size_t end_ = 0;
  std::vector<std::int64_t> numbers_;
};

// Reads the words [args.first(), end) as `params` say. False after a message.
bool read_arguments(ReadContext& cx, std::span<const Param> params, Extra extra, std::size_t end, Args& args);

// A message in the voice of the line.
grammar::Diagnostic& refuse(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view text);
grammar::Diagnostic& warn(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view text);
// "… is not supported by hawser yet": HAProxy knows the word and we do not carry it out.
grammar::Diagnostic& not_supported(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view what);

// The number at the start of `text` as C's atol reads it; `whole`: nothing stands after it.
struct LooseInteger {
  std::int64_t value = 0;
  bool whole = false;
};
LooseInteger read_loose_integer(std::string_view text) noexcept;

}  // namespace hawser::compiler
