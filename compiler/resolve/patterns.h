// Patterns: what stands behind a criterion, or in a file of -f, read as the set's method means it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/model/config.h"
#include "runtime/base/result.h"
#include "runtime/kernels/regex.h"

namespace hawser::compiler {

// The comparison that an operator asks for; it holds for the numbers that follow.
enum class Operator : std::uint8_t { none, eq, ge, gt, le, lt };
std::optional<Operator> read_operator(std::string_view word) noexcept;

// A number, "low:high", ":high" or "low:", or why it is none. As haproxy 2.6 has it, an operator does not
// change a range, and takes "major.minor" for its major.
Result<model::Pattern, std::string> read_number_pattern(std::string_view text, Operator how);

// "192.0.2.1", "192.0.2.0/24", "192.0.2.0/255.255.255.0", "2001:db8::/32"; a host's name when
// `resolve_names`.
struct AddressProblem {
  bool unsupported = false;  // a mask with holes
};
Result<model::Pattern, AddressProblem> read_address_pattern(std::string_view text, bool resolve_names);

// Why PCRE2 does not take an expression, in HAProxy's words, and the byte of it at which it stopped.
struct RegexProblem {
  std::string reason;
  std::size_t offset = 0;
};
std::optional<RegexProblem> problem_of_regex(std::string_view text, const kernels::Regex::Options& options);

}  // namespace hawser::compiler
