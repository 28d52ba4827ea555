// Samples as other types (manual, 7.3.1: converters cast their input; 7.1: so do tests).
#pragma once

#include <string_view>

#include "runtime/abi/sample.h"
#include "runtime/base/arena.h"

namespace hawser::kernels {

// Makes `sample` a sample of `type`; absent when it has no such form. `any` leaves it as it is; `address` is either
// family. Texts that this makes are in `arena`.
void cast(abi::Sample& sample, abi::SampleType type, Arena& arena) noexcept;

// The leading number of a text, saturated; 0 when it begins with none. Nothing for an empty text.
// (haproxy 2.6 does the same: "12abc" is 12, "abc" is 0.)
bool parse_integer(std::string_view text, std::int64_t& value) noexcept;

// Decimal digits of `value`, written to `buffer` of at least 20 bytes; returns them.
std::string_view format_integer(std::int64_t value, char* buffer) noexcept;

// The numeric form of an IPv4 or IPv6 sample, in `buffer` of at least 46 bytes; "" for other types.
std::string_view format_address(const abi::Sample& sample, char* buffer) noexcept;

// The IPv4 address at the beginning of a text, and how many bytes it takes; 0 when there is none.
std::size_t parse_ipv4(std::string_view text, abi::Sample& address) noexcept;

// An IPv4 address at the beginning of a text, behind which anything may follow but a digit or a dot; or a whole IPv6 address
// (haproxy 2.6 does the same).
bool parse_address(std::string_view text, abi::Sample& address) noexcept;

constexpr bool is_text(abi::SampleType type) noexcept {
  return type == abi::SampleType::string || type == abi::SampleType::binary || type == abi::SampleType::method;
}

}  // namespace hawser::kernels
