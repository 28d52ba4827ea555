// The five expression grammars, over expanded words: samples, conditions, log formats, addresses, and
// durations and sizes. Trees with spans; no name is known here.
//
// Each parser reports its mistakes and then returns nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostics.h"
#include "grammar/reader.h"
#include "runtime/base/result.h"

namespace hawser::grammar {

// An argument of a call: after second-level unquoting.
struct Argument {
  std::string text;
  Span span;
};

// NAME or NAME(ARG,…). `f()` has one empty argument as written; `has_parentheses` tells it from `f`.
struct Call {
  std::string name;
  Span span;  // the whole call
  Span name_span;
  bool has_parentheses = false;
  std::vector<Argument> arguments;
};

// fetch,converter,converter(…)
struct SampleSyntax {
  Call fetch;
  std::vector<Call> converters;
  Span span;
};

// A sample expression that is the whole of `word`, or begins at byte `at` of it. HAProxy lets converters go on in the next words
// only after a trailing comma, which it does not; one word is one expression.
std::optional<SampleSyntax> parse_sample(const Word& word, Diagnostics& diagnostics, std::size_t at = 0);

// A term of a condition: a name, or an anonymous test { WORDS }.
struct TermSyntax {
  bool negated = false;
  bool anonymous = false;
  std::string name;         // of a named one
  std::vector<Word> words;  // between the braces of an anonymous one
  Span span;
};

// `if`/`unless` and a disjunction of conjunctions.
struct ConditionSyntax {
  bool unless = false;
  std::vector<std::vector<TermSyntax>> any_of;  // each inner list is "all of"
  Span span;
};

// The condition that begins with `if` or `unless` at words[first] and goes on to the end of the line.
std::optional<ConditionSyntax> parse_condition(const std::vector<Word>& words, std::size_t first,
                                               Diagnostics& diagnostics);

// One item of a log format.
struct FormatItem {
  enum class Kind : std::uint8_t { text, alias, sample, separator };
  Kind kind = Kind::text;
  std::string text;                    // text: the bytes; alias: its name without '%'
  std::string field_name, field_type;  // of %(name:type)…
  std::string argument;                // of alias %{…}: the flags as written
  // Flags after this item's own braces and those of the last %o.
  bool quote = false, hex = false, escape = false, mandatory = false;
  std::optional<SampleSyntax> sample;
  Span span;
};

// `collapse_blanks`: runs of blanks become one `separator` (log-format, unique-id-format); elsewhere blanks
// are text.
std::optional<std::vector<FormatItem>> parse_log_format(const Word& word, bool collapse_blanks,
                                                        Diagnostics& diagnostics);

// One address as written.
struct AddressSyntax {
  enum class Family : std::uint8_t {
    unspecified,
    ipv4,
    ipv6,
    unix_path,
    abstract,
    abstract_z,
    descriptor,
    socketpair,
    ring,
    backend
  };
  enum class Kind : std::uint8_t { unspecified, stream, datagram, quic };
  enum class PortKind : std::uint8_t { none, single, range, plus, minus };
  Family family = Family::unspecified;
  Kind kind = Kind::unspecified;
  std::string host;  // without brackets; "" or "*": any. A path, an abstract name, or the number of a descriptor
  PortKind port_kind = PortKind::none;
  std::uint32_t port = 0;      // the low end of a range, or an offset
  std::uint32_t port_end = 0;  // the high end of a range
  std::string port_text;       // as written
  Span span;
};

std::optional<AddressSyntax> parse_address(const Word& word, Diagnostics& diagnostics);
// The comma separated list of `bind`.
std::optional<std::vector<AddressSyntax>> parse_addresses(const Word& word, Diagnostics& diagnostics);

enum class TimeUnit : std::uint8_t { us, ms, s, min, h, d };

// Why a duration or a size is none. `at`: the first byte that is wrong.
struct NumberError {
  enum class Kind : std::uint8_t { empty, not_a_number, unit, overflow, underflow };
  Kind kind = Kind::not_a_number;
  std::size_t at = 0;
};

struct Duration {
  std::uint64_t count = 0;  // of the unit that was asked for, rounded up
  std::size_t junk_at = 0;  // > 0: the first byte of what follows the unit ("5min"): a warning, not an error
  bool has_unit = false;
};

// "1500", "2s", "10m": `unit` is the unit of a bare number and of the result. At least 2^31 of it is `overflow`.
Result<Duration, NumberError> parse_duration(std::string_view text, TimeUnit unit) noexcept;

// "16384", "16k", "1G": bytes, powers of 1024.
Result<std::uint64_t, NumberError> parse_size(std::string_view text) noexcept;

}  // namespace hawser::grammar
