// Samples: the typed values that fetches make, converters change, tests compare and actions use.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/address.h"

namespace hawser::abi {

// HAProxy's sample types (manual, 7.1). `absent` is no type: the fetch or a converter failed.
enum class SampleType : std::uint8_t { absent, any, boolean, sint, address, ipv4, ipv6, string, binary, method };

std::string_view to_string(SampleType type) noexcept;

// Views are into the exchange's arena, its head, or the Program; they live as long as the exchange.
struct Sample {
  SampleType type = SampleType::absent;
  bool pending = false;  // "not known yet": more data may change the answer (contract 1)
  bool constant = false;
  union {
    std::int64_t integer;  // boolean (0 or 1), sint
    std::uint8_t ip[16];   // ipv4 (first four bytes), ipv6; network order
    struct {
      const char* data;
      std::uint32_t size;
    } bytes;  // string, binary, method
  };

  Sample() noexcept : integer(0) {}
  static Sample absent() noexcept { return {}; }
  static Sample boolean(bool value) noexcept {
    Sample sample;
    sample.type = SampleType::boolean;
    sample.integer = value ? 1 : 0;
    return sample;
  }
  static Sample sint(std::int64_t value) noexcept {
    Sample sample;
    sample.type = SampleType::sint;
    sample.integer = value;
    return sample;
  }
  static Sample text(std::string_view text, SampleType type = SampleType::string) noexcept {
    Sample sample;
    sample.type = type;
    sample.bytes = {text.data(), static_cast<std::uint32_t>(text.size())};
    return sample;
  }
  static Sample address(const IpAddress& address) noexcept;

  bool is_absent() const noexcept { return type == SampleType::absent; }
  std::string_view view() const noexcept { return {bytes.data, bytes.size}; }
  IpAddress to_address() const noexcept;
};
static_assert(sizeof(Sample) == 24);

// How a test compares (manual, 7.1.3: -m).
enum class Match : std::uint8_t {
  found,
  boolean,
  integer,
  ip,
  binary,
  length,
  string,
  substring,
  regex,
  begin,
  end,
  directory,
  domain
};

std::string_view to_string(Match match) noexcept;

// Three-valued: what is not known yet may become either.
enum class Truth : std::uint8_t { no, yes, unknown };

}  // namespace hawser::abi
