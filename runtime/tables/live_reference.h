// One reference of a PatternStore: its versions, and how each method reads their patterns.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tables/pattern_store.h"

namespace hawser::tables {

// Methods for texts look at the patterns as they are written; the others need what they parsed.
constexpr bool reads_text(abi::Match match) noexcept {
  return match != abi::Match::integer && match != abi::Match::length && match != abi::Match::ip &&
         match != abi::Match::regex;
}

struct LiveReference {
  struct Contents {
    PatternRows texts;                // as they were written, or given
    std::vector<PatternRows> parsed;  // by method; empty of those that read texts
  };
  // A set that has its patterns, as `sets` has them from `first` on.
  struct User {
    LiveSets* sets = nullptr;
    std::uint32_t set = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  std::string file;
  std::string description;
  std::uint64_t hash = 0;
  // Of a test that has no set (found, bool), and its patterns.
  abi::Match match = abi::Match::string;
  bool ignore_case = false;
  std::vector<std::string> texts;

  std::vector<std::unique_ptr<LivePatterns>> methods;
  std::vector<User> users;
  std::map<std::uint32_t, Contents> versions;  // once loaded
  std::uint32_t current = 0;
  std::uint32_t next = 0;
  std::uint64_t numbers = 0;  // given out
  bool loaded = false;        // `versions` has its contents; else they are those of its users
  bool edited = false;        // by a command: its contents are worth more than the file's
  bool changed = false;       // such an edit took effect

  // The method of `match`, made when there is none.
  LivePatterns& method(abi::Match match, bool ignore_case);
  // Those that no user reads by any more, unless there is no user at all.
  void forget_unused_methods();
  // How many patterns there are, of all versions.
  std::size_t patterns() const noexcept;
  // The contents of its users.
  void load();
  // What `methods` parse of a pattern, or why one cannot.
  Result<std::vector<kernels::ParsedPattern>, std::string> parse(std::string_view text) const;
  void add(Contents& contents, std::string_view text, const std::vector<kernels::ParsedPattern>& parsed);
  void erase(Contents& contents, std::uint64_t number);
  // Copies what shows an image.
  void own();
};

}  // namespace hawser::tables
