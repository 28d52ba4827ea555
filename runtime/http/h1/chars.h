// Classes of bytes in HTTP/1 messages, as tables.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/base/ascii.h"

namespace hawser::http::h1 {

// RFC 9110, 5.6.2: what a method or a field name is made of; the entry is the byte in lower case, or 0.
inline constexpr std::array<char, 256> kTokenLower = [] {
  std::array<char, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = c;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = static_cast<char>(c | 0x20);
  for (const char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'}) {
    table[static_cast<unsigned char>(c)] = c;
  }
  return table;
}();

constexpr bool is_token(char c) noexcept { return kTokenLower[static_cast<unsigned char>(c)] != 0; }

// A request target is visible ASCII but '#': haproxy 2.6 does the same (RFC 9112, 3.2 allows less).
constexpr bool is_target(char c) noexcept { return c > 0x20 && c < 0x7f && c != '#'; }

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

// 0 to 15, or -1.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char low = to_lower(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

}  // namespace hawser::http::h1
