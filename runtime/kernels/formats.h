// How log formats write values: %{+Q}, %{+X}, %{+E}, and what fields may hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/abi/program.h"
#include "runtime/abi/sample.h"

namespace hawser::kernels {

// Appends a text value of a log format: quoted (flag quote), with '"', '\' and ']' escaped (flag escape), control
// characters as %XX (flag field). An empty value is as an absent one: "-", nothing with flag empty, '""' when quoted.
void append_value(std::string& text, std::string_view value, std::uint16_t flags);
void append_absent(std::string& text, std::uint16_t flags);

// Appends a sample as append_value does; an absent one, or one without a text, as append_absent does. In a field samples are not
// quoted (haproxy 2.6 does the same), though aliases are.
void append_sample(std::string& text, const abi::Sample& sample, std::uint16_t flags);

// Appends a part of a request line: what is not printable, '"' and '#' as #XX. Only flag escape means something.
void append_uri(std::string& text, std::string_view value, std::uint16_t flags);

// Decimal, or with flag hex at least `digits` hexadecimal digits in upper case.
void append_number(std::string& text, std::int64_t value, std::uint16_t flags, unsigned digits = 4);

}  // namespace hawser::kernels
