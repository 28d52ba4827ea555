// A fingerprint of bytes: tells whether two runs of bytes are equal, and whether one was damaged. Not against an
// adversary, and the same on every machine of one byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace hawser {

// Eight bytes a step.
inline std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t kPrime = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t hash = seed ^ (bytes.size() * kPrime);
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    mix(word);
  }
  if (at < bytes.size()) {
    word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at);
    mix(word);
  }
  mix(hash >> 29);
  return hash;
}

}  // namespace hawser
