// Reads one pattern as the method of its set means it (manual, 7.1): what the compiler does with the words of an ACL and the lines
// of a file, and the command socket with what it is given at run time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/abi/sample.h"
#include "runtime/base/address.h"
#include "runtime/base/result.h"
#include "runtime/kernels/regex.h"

namespace hawser::kernels {

struct NumberRange {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
};

struct Network {
  IpAddress address;  // what is beyond the prefix is 0
  std::uint8_t prefix_bits = 0;
};

// Which values a method's patterns are: at run time all that it needs besides the text.
struct ParsedPattern {
  NumberRange range;           // int, len
  Network network;             // ip
  std::optional<Regex> regex;  // reg
};

// The comparison that an operator asks for.
enum class Operator : std::uint8_t { none, eq, ge, gt, le, lt };

// "5", "5:7", "5-7", ":7", "5:"; or why it is none of them ("'x' is not a number"). As haproxy 2.6 has it, both ':' and '-' stand
// between the bounds, so that "-5" is all up to 5, and only the upper one may be negative: "--5" is all up to -5.
Result<NumberRange, std::string> parse_range(std::string_view text);

// The pattern that a number behind an operator stands for: "ge 5" is "5:", "lt 5" is ":4", and of "ge 1.5" only the 1 counts. A
// range stays as it is. Nothing for what is no number. (haproxy 2.6 does the same.)
std::optional<std::string> apply_operator(Operator how, std::string_view text);

// "192.0.2.1", "192.0.2.0/24", "192.0.2.0/255.255.255.0", "2001:db8::/32": numeric forms alone.
enum class AddressProblem : std::uint8_t {
  malformed,
  mask_with_holes,  // well-formed, and not supported
};
Result<Network, AddressProblem> parse_network(std::string_view text);
// The same for an address that is known already: `mask` is what stands behind its '/', or nothing.
Result<Network, AddressProblem> masked(IpAddress address, std::optional<std::string_view> mask);

// A pattern by any method, or HAProxy's message about it, without the full stop.
Result<ParsedPattern, std::string> parse_pattern(std::string_view text, abi::Match match,
                                                 const Regex::Options& options);

// HAProxy's words for an expression that PCRE2 does not take.
std::string regex_message(std::string_view text, const Regex::Problem& problem);

}  // namespace hawser::kernels
