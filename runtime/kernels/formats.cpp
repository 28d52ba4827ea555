#include "runtime/kernels/formats.h"

#include <cstring>

#include "runtime/kernels/casts.h"

namespace hawser::kernels {
namespace {

// What numbers and addresses need of the flags: nothing in them is escaped.
constexpr std::uint16_t kPlain = static_cast<std::uint16_t>(~(abi::format_escape | abi::format_field));

constexpr char kHex[] = "0123456789ABCDEF";

// A tab may stand in a field.
bool is_control(char c) noexcept { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool needs_care(char c, std::uint16_t flags) noexcept {
  if ((flags & abi::format_escape) != 0 && (c == '"' || c == '\\' || c == ']')) return true;
  return (flags & abi::format_field) != 0 && is_control(c);
}

// Eight bytes at a time: is one of them below a blank, or DEL? A tab counts too.
bool has_control(std::string_view value) noexcept {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
  std::size_t at = 0;
  for (; at + 8 <= value.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, value.data() + at, sizeof bytes);
    const std::uint64_t deletes = bytes ^ (kOnes * 0x7f);
    if ((((bytes - kOnes * 0x20) & ~bytes) | ((deletes - kOnes) & ~deletes)) & kTops) return true;
  }
  for (; at < value.size(); ++at) {
    if (is_control(value[at])) return true;
  }
  return false;
}

void append_carefully(std::string& text, std::string_view value, std::uint16_t flags) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (!needs_care(c, flags)) continue;
    text.append(value.substr(plain, at - plain));
    plain = at + 1;
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c)) {
      const char escape[] = {'%', kHex[byte >> 4], kHex[byte & 15]};
      text.append(escape, sizeof escape);
    } else {
      text += '\\';
      text += c;
    }
  }
  text.append(value.substr(plain));
}

}  // namespace

void append_value(std::string& text, std::string_view value, std::uint16_t flags) {
  if (value.empty()) {
    append_absent(text, flags);
    return;
  }
  const bool quote = (flags & abi::format_quote) != 0;
  if (quote) text += '"';
  const bool careful = (flags & abi::format_escape) != 0 || ((flags & abi::format_field) != 0 && has_control(value));
  if (careful) {
    append_carefully(text, value, flags);
  } else {
    text += value;
  }
  if (quote) text += '"';
}

void append_absent(std::string& text, std::uint16_t flags) {
  if ((flags & abi::format_quote) != 0) {
    text += "\"\"";
  } else if ((flags & abi::format_empty) == 0) {
    text += '-';
  }
}

void append_sample(std::string& text, const abi::Sample& sample, std::uint16_t flags) {
  if ((flags & abi::format_field) != 0) flags = static_cast<std::uint16_t>(flags & ~abi::format_quote);
  if (is_text(sample.type)) {
    append_value(text, sample.view(), flags);
    return;
  }
  char buffer[64];
  switch (sample.type) {
    case abi::SampleType::boolean:
    case abi::SampleType::sint:
      append_value(text, format_integer(sample.integer, buffer), static_cast<std::uint16_t>(flags & kPlain));
      return;
    case abi::SampleType::ipv4:
    case abi::SampleType::ipv6:
      append_value(text, format_address(sample, buffer), static_cast<std::uint16_t>(flags & kPlain));
      return;
    default: append_absent(text, flags); return;
  }
}

void append_number(std::string& text, std::int64_t value, std::uint16_t flags, unsigned digits) {
  char buffer[32];
  if ((flags & abi::format_hex) == 0) {
    text += format_integer(value, buffer);
    return;
  }
  auto rest = static_cast<std::uint64_t>(value);
  unsigned at = sizeof buffer;
  do {
    buffer[--at] = kHex[rest & 15];
    rest >>= 4;
  } while (rest != 0 || sizeof buffer - at < digits);
  text.append(buffer + at, sizeof buffer - at);
}

void append_uri(std::string& text, std::string_view value, std::uint16_t flags) {
  std::size_t plain = 0;
  const auto append_plain = [&](std::size_t end) {
    text.append(value.substr(plain, end - plain));
    plain = end + 1;
  };
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '#') {
      const char escape[] = {'#', kHex[byte >> 4], kHex[byte & 15]};
      append_plain(at);
      text.append(escape, sizeof escape);
    } else if ((flags & abi::format_escape) != 0 && (c == '\\' || c == ']')) {
      append_plain(at);
      text += '\\';
      text += c;
    }
  }
  text.append(value.substr(plain));
}

}  // namespace hawser::kernels
