// The contents of all pattern sets, as commands change them while traffic flows (contracts 3 and 5).
//
// Patterns belong to references: a file of -f, which several sets may read by several methods, or what was written in one test.
// A reference has versions, as HAProxy's have: the current one matches, others are filled before they are committed in its
// place. What commands changed outlives the Program: the next one that refers to the same file, or `#id`, goes on with it iff the
// file's bytes, or the patterns as written, are the same.
//
// All functions lock one another out; none waits for a worker.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tables/live_sets.h"
#include "runtime/tables/pattern_rows.h"
#include "runtime/tables/rest_points.h"

namespace hawser::tables {

class PatternStore {
 public:
  explicit PatternStore(RestPoints& rest);
  ~PatternStore();

  // A Program's sets, from now on those that commands see.
  void install(LiveSets& sets);
  // No worker looks at them any more.
  void uninstall(LiveSets& sets);

  using ReferenceIndex = std::uint32_t;
  struct Summary {
    std::string file;
    std::string description;
    std::uint32_t current = 0;  // version
    std::uint32_t next = 0;
    std::uint64_t entries = 0;  // of all versions, once for each method that reads them
  };
  std::size_t references() const;
  Summary summary(ReferenceIndex reference) const;
  std::optional<ReferenceIndex> find_file(std::string_view file) const;

  // Without a version: the current one.
  using Version = std::optional<std::uint32_t>;
  // "" or HAProxy's message, without the full stop, of the first method to which the pattern means nothing.
  std::string add(ReferenceIndex reference, Version version, std::string_view pattern);
  // Of every version. How many there were.
  std::size_t erase(ReferenceIndex reference, std::string_view pattern);
  std::size_t erase_number(ReferenceIndex reference, std::uint64_t number);
  void clear(ReferenceIndex reference, Version version);
  std::uint32_t prepare(ReferenceIndex reference);
  // False for a version that is not between the current one and the last that was prepared. Frees the older ones.
  bool commit(ReferenceIndex reference, std::uint32_t version);

  // The patterns as they are now; what is added later does not show.
  PatternRows rows(ReferenceIndex reference, Version version);

  // Whether a value matches, by each method of a reference, and which pattern. As haproxy 2.6 does: the longest of beginnings and
  // networks, else the first.
  struct Found {
    abi::Match match = abi::Match::string;
    bool ignore_case = false;
    bool matches = false;
    std::optional<std::string> pattern;  // of a method that has one
  };
  std::vector<Found> look_up(ReferenceIndex reference, std::string_view value);

  // Frees what no worker can still look at. Every change does so, too.
  void reclaim();

 private:
  friend class LiveSets;

  LiveReference& at(ReferenceIndex reference) const;
  void publish(LiveReference& reference);
  void took_effect(LiveReference& reference);
  void mark_changed(LiveSets& sets, std::uint32_t set);
  std::size_t erase_numbers(LiveReference& reference, const std::vector<std::uint64_t>& numbers);
  void reclaim_locked();

  RestPoints& rest_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<LiveReference>> listed_;  // of the Program installed last, by `#id`
  std::map<std::string, std::shared_ptr<LiveReference>, std::less<>> by_key_;
  // What was replaced: since the mark was taken, and before.
  std::vector<std::unique_ptr<const LivePatterns::Snapshot>> fresh_, waiting_;
  RestPoints::Mark mark_;
};

}  // namespace hawser::tables
