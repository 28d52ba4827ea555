// Patterns: what stands behind a criterion, or in a file of -f, read as the set's method means it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/model/config.h"
#include "runtime/base/result.h"
#include "runtime/kernels/patterns.h"

namespace hawser::compiler {

// An operator holds for the numbers that follow.
using kernels::Operator;
std::optional<Operator> read_operator(std::string_view word) noexcept;

// A number or a range, as the operator means it: the pattern's text is what the operator makes of it.
Result<model::Pattern, std::string> read_number_pattern(std::string_view text, Operator how);

// "3.1", or a range of such: as the numbers that stand for them. Nothing when it is none, and
// `problem` says why.
std::optional<std::string> read_dotted_versions(std::string_view text, std::string& problem);

// The bytes that pairs of hexadecimal digits stand for; nothing when there are other characters, or an odd number.
std::optional<std::string> bytes_of_hex(std::string_view text);

// An address or a network; with `resolve_names` also a host's name, and dotted numbers as inet_aton reads them.
using kernels::AddressProblem;
Result<model::Pattern, AddressProblem> read_address_pattern(std::string_view text, bool resolve_names);

// Why PCRE2 does not take an expression, in HAProxy's words, and the byte of it at which it stopped.
struct RegexProblem {
  std::string reason;
  std::size_t offset = 0;
};
std::optional<RegexProblem> problem_of_regex(std::string_view text, const kernels::Regex::Options& options);

}  // namespace hawser::compiler
