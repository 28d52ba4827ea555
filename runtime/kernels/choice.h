// Many tests of one value as one look-up: which is the first of the cases that matches?
#pragma once

#include <cstdint>
#include <memory>
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
  // Those that some case needs: a configuration may have a small Choice for each of thousands of proxies.
  struct Texts {
    std::unique_ptr<TextTable> whole;
    std::unique_ptr<AffixTable> begin, end;
  };

  void add(const ChoiceCase& one);
  bool add_text(const ChoiceCase& one);
  void finish();
  std::uint32_t first_of_texts(std::string_view text, std::uint32_t from) const noexcept;
  std::uint32_t first_of_networks(const abi::Sample& sample, std::uint32_t from) const noexcept;
  std::uint32_t first_of_others(const abi::Sample& sample, std::uint32_t from, std::uint32_t below) const noexcept;

  Texts texts_[2];  // with case, without case
  std::unique_ptr<RangeTable> integers_, lengths_;
  std::unique_ptr<NetworkTable> ipv4_, ipv6_;
  std::vector<ChoiceCase> others_;
};

}  // namespace hawser::kernels
