// Who we are: `-v`, `-vv`, the usage text.
#pragma once

#include <string>
#include <string_view>

namespace hawser::process {

inline constexpr std::string_view kVersion = "0.1.0";
// The HAProxy version whose language and command line tools may expect (`version_atleast`, `-vv`).
inline constexpr std::string_view kReleaseDate = "2026/11/30";
inline constexpr std::string_view kCompatibleVersion = "3.4.0";

std::string version_text();
std::string version_long_text();
// What a refused command line shows on stderr; `--help` shows it on stdout.
std::string usage_text(std::string_view program);

}  // namespace hawser::process
