// Sets of threads and CPUs as words: "3", "1-4", "odd", "all"; "0-3,8". A bit each, at most 64.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hawser::compiler {

// Numbers from 1 on, bit 0 for 1: all, odd, even, N, N-M, N- . Nothing for what is none.
std::optional<std::uint64_t> read_number_set(std::string_view text) noexcept;

// CPUs from 0 on: N or N-M, several with commas. One above 63 is left out, as HAProxy does.
std::optional<std::uint64_t> read_cpu_set(std::string_view text) noexcept;

}  // namespace hawser::compiler
