// Letters of ASCII, whatever the locale: what protocols and configurations mean by "ignoring case".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hawser {

constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at) {
    if (to_lower(a[at]) != to_lower(b[at])) return false;
  }
  return true;
}

inline std::string lower_cased(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

}  // namespace hawser
