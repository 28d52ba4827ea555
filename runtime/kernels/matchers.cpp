#include "runtime/kernels/matchers.h"

#include <algorithm>
#include <cstring>

#include "runtime/kernels/casts.h"

namespace hawser::kernels {
namespace {

using abi::Match;
using abi::Pattern;
using abi::Sample;
using abi::SampleType;

char folded(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Of the same length.
bool same(const char* a, const char* b, std::size_t size, bool ignore_case) noexcept {
  if (!ignore_case) return std::string_view(a, size) == std::string_view(b, size);
  for (std::size_t at = 0; at < size; ++at) {
    if (a[at] != b[at] && folded(a[at]) != folded(b[at])) return false;
  }
  return true;
}

// Where `part` stands in `text`, from `from` on.
std::size_t find(std::string_view text, std::string_view part, std::size_t from, bool ignore_case) noexcept {
  if (!ignore_case) return text.find(part, from);
  for (std::size_t at = from; at + part.size() <= text.size(); ++at) {
    if (same(text.data() + at, part.data(), part.size(), true)) return at;
  }
  return std::string_view::npos;
}

// The pattern without delimiters around it stands in the text between delimiters or the text's ends.
bool match_between(std::string_view text, std::string_view pattern, std::string_view delimiters,
                   bool ignore_case) noexcept {
  const std::size_t first = pattern.find_first_not_of(delimiters);
  if (first == std::string_view::npos) return false;
  pattern = pattern.substr(first, pattern.find_last_not_of(delimiters) - first + 1);
  const auto delimiter = [&](std::size_t at) { return delimiters.find(text[at]) != std::string_view::npos; };
  for (std::size_t at = 0; (at = find(text, pattern, at, ignore_case)) != std::string_view::npos; ++at) {
    const std::size_t end = at + pattern.size();
    if ((at == 0 || delimiter(at - 1)) && (end == text.size() || delimiter(end))) return true;
  }
  return false;
}

// An IPv6 sample also matches an IPv4 pattern in its mapped (::ffff:0:0/96), compatible (::/96) and 6to4 (2002::/16) form; an IPv4
// sample an IPv6 pattern in its mapped form alone (haproxy 2.6 does the same).
bool match_ip(const Sample& sample, const Pattern& pattern) noexcept {
  if (sample.type == SampleType::ipv4) {
    if (pattern.ip_family == 4) return same_prefix(sample.ip, pattern.ip, pattern.prefix_bits);
    std::uint8_t mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::memcpy(mapped + 12, sample.ip, 4);
    return pattern.ip_family == 6 && same_prefix(mapped, pattern.ip, pattern.prefix_bits);
  }
  if (pattern.ip_family == 6) return same_prefix(sample.ip, pattern.ip, pattern.prefix_bits);
  if (pattern.ip_family != 4) return false;
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  static constexpr std::uint8_t kCompatible[12] = {};
  if (std::memcmp(sample.ip, kMapped, 12) == 0 || std::memcmp(sample.ip, kCompatible, 12) == 0) {
    return same_prefix(sample.ip + 12, pattern.ip, pattern.prefix_bits);
  }
  return sample.ip[0] == 0x20 && sample.ip[1] == 0x02 && same_prefix(sample.ip + 2, pattern.ip, pattern.prefix_bits);
}

template <class Test>
bool any(const SetView& set, Test test) noexcept {
  for (const Pattern& pattern : set.patterns) {
    if (test(pattern)) return true;
  }
  return false;
}

}  // namespace

SampleType match_input(Match match) noexcept {
  switch (match) {
    case Match::found: return SampleType::any;
    case Match::boolean: return SampleType::boolean;
    case Match::integer: return SampleType::sint;
    case Match::ip: return SampleType::address;
    case Match::binary: return SampleType::binary;
    case Match::length:
    case Match::string:
    case Match::substring:
    case Match::regex:
    case Match::begin:
    case Match::end:
    case Match::directory:
    case Match::domain: return SampleType::string;
  }
  return SampleType::any;
}

bool matches(const Sample& sample, const SetView& set, Match match) noexcept {
  if (sample.is_absent()) return false;
  switch (match) {
    case Match::found: return true;
    case Match::boolean: return sample.type == SampleType::boolean && sample.integer != 0;
    case Match::integer: {
      if (sample.type != SampleType::sint && sample.type != SampleType::boolean) return false;
      return any(set, [&](const Pattern& p) { return p.low <= sample.integer && sample.integer <= p.high; });
    }
    case Match::ip:
      if (sample.type != SampleType::ipv4 && sample.type != SampleType::ipv6) return false;
      return any(set, [&](const Pattern& p) { return match_ip(sample, p); });
    case Match::length: {
      if (!is_text(sample.type)) return false;
      const auto size = static_cast<std::int64_t>(sample.view().size());
      return any(set, [&](const Pattern& p) { return p.low <= size && size <= p.high; });
    }
    case Match::regex: {
      if (!is_text(sample.type)) return false;
      const std::string_view text = sample.view();
      return std::any_of(set.expressions.begin(), set.expressions.end(),
                         [&](const Regex& one) { return one.matches(text); });
    }
    default: {
      if (!is_text(sample.type)) return false;
      const std::string_view text = sample.view();
      return any(set,
                 [&](const Pattern& p) { return match_text(text, set.image->text(p.text), match, set.ignore_case); });
    }
  }
}

bool match_text(std::string_view text, std::string_view pattern, Match match, bool ignore_case) noexcept {
  switch (match) {
    case Match::string:
    case Match::binary:
      return text.size() == pattern.size() && same(text.data(), pattern.data(), text.size(), ignore_case);
    case Match::begin:
      return text.size() >= pattern.size() && same(text.data(), pattern.data(), pattern.size(), ignore_case);
    case Match::end:
      return text.size() >= pattern.size() &&
             same(text.data() + text.size() - pattern.size(), pattern.data(), pattern.size(), ignore_case);
    case Match::substring: return find(text, pattern, 0, ignore_case) != std::string_view::npos;
    case Match::directory: return match_between(text, pattern, "/?", ignore_case);
    case Match::domain: return match_between(text, pattern, "/?.:", ignore_case);
    default: return false;
  }
}

bool match_address(const Sample& sample, const Sample& network, std::uint8_t bits) noexcept {
  if (sample.type != SampleType::ipv4 && sample.type != SampleType::ipv6) return false;
  Pattern pattern;
  pattern.prefix_bits = bits;
  pattern.ip_family = network.type == SampleType::ipv4 ? 4 : network.type == SampleType::ipv6 ? 6 : 0;
  std::memcpy(pattern.ip, network.ip, sizeof pattern.ip);
  return match_ip(sample, pattern);
}

bool same_prefix(const std::uint8_t* a, const std::uint8_t* b, unsigned bits) noexcept {
  const unsigned whole = bits / 8;
  if (std::memcmp(a, b, whole) != 0) return false;
  if (bits % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff << (8 - bits % 8));
  return (a[whole] & mask) == (b[whole] & mask);
}

}  // namespace hawser::kernels
