// The ways through a function: from step to step, together with what the condition is before each. Knows nothing of LLVM.
//
// A long function is cut into parts, each of them a native function of its own, since the memory that LLVM takes grows with the
// longest. Code leaves a part by returning where it goes on (runtime/abi/native.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::codegen {

inline constexpr std::uint32_t kPartSteps = 1000;

// What the condition is before a step; `any` where it does not matter. The first three are those of abi::Truth.
enum class Known : std::uint8_t { no, yes, unknown, any };
using Place = std::pair<std::uint32_t, Known>;

// How many cases a selector has: as its select_begin says, of which there is one.
std::uint32_t selector_cases(std::span<const abi::Step> steps, std::uint16_t selector) noexcept;

// What absorb_or or absorb_and makes of the condition, where the register is `other`.
Known absorbed(abi::Op op, Known known, Known other) noexcept;

class Flow {
 public:
  Flow(std::span<const abi::Step> steps, std::uint32_t part_steps);

  std::span<const abi::Step> steps() const noexcept { return steps_; }
  // Whether what the condition is before a step matters.
  bool needed(std::uint32_t at) const noexcept { return needed_[at]; }
  // Where a step and those behind it lead that only choose the way.
  Place follow(std::uint32_t at, Known known) const noexcept;

  // Into how many parts so many steps are cut.
  static std::uint32_t part_count(std::size_t steps, std::uint32_t part_steps) noexcept {
    return static_cast<std::uint32_t>((steps - 1) / part_steps + 1);
  }
  std::uint32_t part_of(std::uint32_t at) const noexcept { return at / part_steps_; }
  // The places of a part that code of other parts goes on at, in the order of their numbers.
  const std::vector<Place>& entries(std::uint32_t part) const noexcept { return entries_[part]; }
  std::uint32_t parts() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t entry(Place place) const { return numbers_.at(place); }

 private:
  void find_needed();
  void find_entries();
  template <class Visit>
  void each_next(Place place, Visit visit) const;

  std::span<const abi::Step> steps_;
  std::uint32_t part_steps_;
  std::vector<bool> needed_;
  std::vector<std::vector<Place>> entries_;  // of each part
  std::map<Place, std::uint32_t> numbers_;
};

}  // namespace hawser::codegen
