// The indices behind a Choice. Each holds keys with the numbers of the cases that have them, and answers: the first
// case from a number on whose key fits a value. All are filled in the order of the cases, then finished, then only read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/abi/program.h"

namespace hawser::kernels {

// Ascending lists of case numbers, one after the other.
class CaseLists {
 public:
  // Adds a number to a list; numbers of one list come in order. Lists are numbered from 0.
  void add(std::uint32_t list, std::uint32_t number) { pending_.push_back({list, number}); }
  void finish(std::size_t lists);

  // The first of a list that is not below `from`; abi::kNoCase.
  std::uint32_t first(std::uint32_t list, std::uint32_t from) const noexcept;

 private:
  struct Entry {
    std::uint32_t list, number;
  };
  std::vector<Entry> pending_;
  std::vector<std::uint32_t> begins_;  // of each list, and the end of the last one
  std::vector<std::uint32_t> numbers_;
};

// Texts, as they are or without case. Keys are views into what outlives the table.
class TextTable {
 public:
  explicit TextTable(bool ignore_case) noexcept : ignore_case_(ignore_case) {}

  void add(std::string_view key, std::uint32_t number);
  void finish();
  std::uint32_t first(std::string_view text, std::uint32_t from) const noexcept;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t key = 0;  // its number + 1; 0: empty
  };
  std::uint32_t hash(std::string_view text) const noexcept;
  bool equal(std::string_view a, std::string_view b) const noexcept;
  Slot* place(std::string_view key, std::uint32_t hash) noexcept;
  void grow();

  bool ignore_case_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::string_view> keys_;
  CaseLists lists_;
};

// Beginnings or ends of texts: one look-up a length that a key has.
class AffixTable {
 public:
  enum class Side : std::uint8_t { begin, end };
  AffixTable(Side side, bool ignore_case) noexcept : side_(side), table_(ignore_case) {}

  void add(std::string_view key, std::uint32_t number);
  void finish();
  std::uint32_t first(std::string_view text, std::uint32_t from) const noexcept;

 private:
  Side side_;
  TextTable table_;
  std::vector<std::uint32_t> lengths_;  // ascending
};

// Ranges of integers. A range is a few nodes of a tree over the places where ranges begin and end; a value's ranges
// are those of the nodes over its place.
class RangeTable {
 public:
  // Both ends belong to it; one without any value matches none.
  void add(std::int64_t low, std::int64_t high, std::uint32_t number);
  void finish();
  std::uint32_t first(std::int64_t value, std::uint32_t from) const noexcept;

 private:
  struct Range {
    std::int64_t low, high;
    std::uint32_t number;
  };
  std::vector<Range> pending_;
  std::vector<std::int64_t> begins_;  // of the pieces that ends of ranges cut the integers into
  CaseLists nodes_;                   // 1 the root, those of the pieces from begins_.size() on
};

// Networks of one family: one look-up a length of prefix.
class NetworkTable {
 public:
  explicit NetworkTable(std::size_t bytes) noexcept : bytes_(bytes) {}

  void add(const std::uint8_t* network, unsigned bits, std::uint32_t number);
  void finish();
  std::uint32_t first(const std::uint8_t* address, std::uint32_t from) const noexcept;

 private:
  using Key = std::array<char, 17>;  // the prefix's length and the network
  Key key(const std::uint8_t* address, unsigned bits) const noexcept;
  std::string_view view(const Key& key) const noexcept { return {key.data(), bytes_ + 1}; }

  std::size_t bytes_;
  std::deque<Key> keys_;
  TextTable table_{false};
  std::vector<std::uint8_t> prefixes_;  // lengths that are there
};

}  // namespace hawser::kernels
