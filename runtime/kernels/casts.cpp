#include "runtime/kernels/casts.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace hawser::kernels {
namespace {

using abi::Sample;
using abi::SampleType;

void to_string(Sample& sample, SampleType type, Arena& arena) noexcept {
  char buffer[INET6_ADDRSTRLEN];
  switch (sample.type) {
    case SampleType::boolean:
    case SampleType::sint: sample = Sample::text(arena.copy(format_integer(sample.integer, buffer)), type); return;
    case SampleType::ipv4:
    case SampleType::ipv6: sample = Sample::text(arena.copy(format_address(sample, buffer)), type); return;
    case SampleType::string:
    case SampleType::binary:
    case SampleType::method: sample.type = type; return;
    default: sample = Sample::absent(); return;
  }
}

std::uint32_t ipv4_number(const Sample& sample) noexcept {
  return std::uint32_t{sample.ip[0]} << 24 | std::uint32_t{sample.ip[1]} << 16 | std::uint32_t{sample.ip[2]} << 8 |
         sample.ip[3];
}

void to_integer(Sample& sample) noexcept {
  std::int64_t value = 0;
  switch (sample.type) {
    case SampleType::boolean:
    case SampleType::sint: value = sample.integer; break;
    case SampleType::ipv4: value = ipv4_number(sample); break;
    case SampleType::string:
      if (!parse_integer(sample.view(), value)) {
        sample = Sample::absent();
        return;
      }
      break;
    default: sample = Sample::absent(); return;
  }
  sample = Sample::sint(value);
}

void to_address(Sample& sample) noexcept {
  switch (sample.type) {
    case SampleType::ipv4:
    case SampleType::ipv6: return;
    case SampleType::sint: {
      const auto number = static_cast<std::uint32_t>(sample.integer);
      sample = Sample::address(IpAddress::v4(number));
      return;
    }
    case SampleType::string: {
      Sample address;
      sample = parse_address(sample.view(), address) ? address : Sample::absent();
      return;
    }
    default: sample = Sample::absent(); return;
  }
}

// An IPv4 address becomes its mapped form; an IPv6 address that holds an IPv4 one becomes this.
void to_family(Sample& sample, SampleType type) noexcept {
  to_address(sample);
  if (sample.type == type || sample.type == SampleType::absent) return;
  Sample other;
  other.type = type;
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (type == SampleType::ipv6) {
    std::memcpy(other.ip, kMapped, sizeof kMapped);
    std::memcpy(other.ip + 12, sample.ip, 4);
  } else if (std::memcmp(sample.ip, kMapped, sizeof kMapped) == 0) {
    std::memcpy(other.ip, sample.ip + 12, 4);
  } else {
    other = Sample::absent();
  }
  sample = other;
}

}  // namespace

void cast(Sample& sample, SampleType type, Arena& arena) noexcept {
  if (sample.type == type || sample.type == SampleType::absent) return;
  const bool pending = sample.pending;
  switch (type) {
    case SampleType::any: return;
    case SampleType::absent: sample = Sample::absent(); break;
    case SampleType::string:
    case SampleType::binary:
    case SampleType::method: to_string(sample, type, arena); break;
    case SampleType::sint: to_integer(sample); break;
    case SampleType::boolean:
      to_integer(sample);
      if (!sample.is_absent()) sample = Sample::boolean(sample.integer != 0);
      break;
    case SampleType::address: to_address(sample); break;
    case SampleType::ipv4:
    case SampleType::ipv6: to_family(sample, type); break;
  }
  sample.pending = pending;
}

bool parse_integer(std::string_view text, std::int64_t& value) noexcept {
  if (text.empty()) return false;
  std::size_t at = 0;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') at = 1;
  std::uint64_t sum = 0;
  const std::uint64_t limit = negative ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(INT64_MAX);
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    sum = sum > (limit - digit) / 10 ? limit : sum * 10 + digit;
  }
  value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - sum : sum);
  return true;
}

std::string_view format_integer(std::int64_t value, char* buffer) noexcept {
  const auto end = std::to_chars(buffer, buffer + 20, value).ptr;
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

std::string_view format_address(const Sample& sample, char* buffer) noexcept {
  if (sample.type == SampleType::ipv4) {
    char* at = buffer;
    for (int i = 0; i < 4; ++i) {
      if (i > 0) *at++ = '.';
      at = std::to_chars(at, at + 3, static_cast<unsigned>(sample.ip[i])).ptr;
    }
    return {buffer, static_cast<std::size_t>(at - buffer)};
  }
  if (sample.type != SampleType::ipv6 || inet_ntop(AF_INET6, sample.ip, buffer, INET6_ADDRSTRLEN) == nullptr) return {};
  return buffer;
}

std::size_t parse_ipv4(std::string_view text, Sample& address) noexcept {
  std::uint8_t octets[4];
  std::size_t at = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && (at >= text.size() || text[at++] != '.')) return 0;
    unsigned octet = 0;
    std::size_t digits = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++digits) {
      octet = octet * 10 + static_cast<unsigned>(text[at] - '0');
      if (octet > 255) return 0;
    }
    if (digits == 0) return 0;
    octets[i] = static_cast<std::uint8_t>(octet);
  }
  address = Sample();
  address.type = SampleType::ipv4;
  std::memcpy(address.ip, octets, sizeof octets);
  return at;
}

bool parse_address(std::string_view text, Sample& address) noexcept {
  if (const std::size_t used = parse_ipv4(text, address); used > 0) return used == text.size() || text[used] != '.';
  const auto ip = IpAddress::parse(text);
  if (!ip || ip->family != IpAddress::Family::v6) return false;
  address = Sample::address(*ip);
  return true;
}

}  // namespace hawser::kernels
