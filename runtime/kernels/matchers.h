// Matchers: does a sample match one of a set's patterns (manual, 7.1)?
#pragma once

#include "runtime/abi/program.h"
#include "runtime/abi/sample.h"
#include "runtime/kernels/regex.h"

namespace hawser::kernels {

// The type that a sample is cast to before it is matched.
abi::SampleType match_input(abi::Match match) noexcept;

// A set as its image holds it. Searched in order: for the few patterns of an inline ACL nothing is faster.
struct SetView {
  const abi::ImageView* image = nullptr;
  std::span<const abi::Pattern> patterns;
  abi::Match match = abi::Match::string;
  bool ignore_case = false;
  std::span<const Regex> expressions{};  // of match `regex`: the patterns compiled
};

// `sample` has the type match_input() says, or is absent, which matches nothing. `match` may be another method than the set's own.
bool matches(const abi::Sample& sample, const SetView& set, abi::Match match) noexcept;
inline bool matches(const abi::Sample& sample, const SetView& set) noexcept { return matches(sample, set, set.match); }

// One text against one pattern, by a method for texts. An empty pattern or one of delimiters alone matches no part of
// a path or domain.
bool match_text(std::string_view text, std::string_view pattern, abi::Match match, bool ignore_case) noexcept;

// An address in a network of `bits` leading bits, also where the one is an IPv4 and the other an IPv6 address: a mapped one, or, of
// the sample, a compatible or a 6to4 one.
bool match_address(const abi::Sample& sample, const abi::Sample& network, std::uint8_t bits) noexcept;

// `bits` leading bits of two addresses of the same family are equal.
bool same_prefix(const std::uint8_t* a, const std::uint8_t* b, unsigned bits) noexcept;

}  // namespace hawser::kernels
