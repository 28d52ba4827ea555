// Many tests of one value as one look-up: which is the first of the cases that matches?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/choice_index.h"
#include "runtime/kernels/matchers.h"

namespace hawser::kernels {

// One of the tests. Of several of one number, any that matches makes the case match. `set` outlives the Choice.
struct ChoiceCase {
  std::uint32_t number = 0;
  abi::Match match = abi::Match::string;
  const SetView* set = nullptr;
};

// Answers as matches() of one case after the other, with one look-up for each method that is present: whole texts,
// beginnings, ends, integers, lengths, addresses. What is left (parts of texts, regular expressions) is tried case by case, up to the
// first match. Immutable, and so are the patterns: whoever changes a set asks its Choices no more.
class Choice {
 public:
  // In the order of their numbers.
  explicit Choice(std::span<const ChoiceCase> cases);

  // The first case numbered `from` or higher that `sample` matches; abi::kNoCase.
  std::uint32_t first(const abi::Sample& sample, std::uint32_t from) const noexcept;

 private:
  // Two of each: with and without case.
  struct Texts {
    TextTable whole;
    AffixTable begin, end;
    explicit Texts(bool ignore_case)
        : whole(ignore_case), begin(AffixTable::Side::begin, ignore_case), end(AffixTable::Side::end, ignore_case) {}
  };

  void add(const ChoiceCase& one);
  bool add_text(const ChoiceCase& one);
  void finish();
  std::uint32_t first_of_texts(std::string_view text, std::uint32_t from) const noexcept;
  std::uint32_t first_of_networks(const abi::Sample& sample, std::uint32_t from) const noexcept;
  std::uint32_t first_of_others(const abi::Sample& sample, std::uint32_t from, std::uint32_t below) const noexcept;

  Texts exact_{false};
  Texts folded_{true};
  RangeTable integers_;
  RangeTable lengths_;
  NetworkTable ipv4_{4};
  NetworkTable ipv6_{16};
  std::vector<ChoiceCase> others_;
};

}  // namespace hawser::kernels
