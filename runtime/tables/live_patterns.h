// The patterns of one reference, as one method reads them, while they change: one writer, and readers that take no lock.
//
// Readers look at a snapshot, which is never changed but replaced. A short list is searched in order. Of a long one, most chunks
// have an index (kernels::Choice) that was made of them once; those that were changed or added since are searched in order, until
// they are so many that the index is made anew. So a look-up costs about the same as before the first change, whatever the
// length of the list, and a change little more than a pointer for each chunk.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/kernels/choice.h"
#include "runtime/tables/pattern_rows.h"

namespace hawser::tables {

class LivePatterns {
 public:
  LivePatterns(abi::Match match, bool ignore_case) : match_(match), ignore_case_(ignore_case) {}
  ~LivePatterns();
  LivePatterns(const LivePatterns&) = delete;
  LivePatterns& operator=(const LivePatterns&) = delete;

  abi::Match match() const noexcept { return match_; }
  bool ignore_case() const noexcept { return ignore_case_; }

  // For a worker at work (RestPoints). `match` may be another method than its own, as for kernels::matches().
  bool matches(const abi::Sample& sample, abi::Match match) const noexcept;

  // Shows readers these rows from now on. Returns what they may still look at for a while.
  struct Snapshot;
  std::unique_ptr<const Snapshot> publish(const PatternRows& rows);

 private:
  struct Index;
  bool may_have_index() const noexcept;

  const abi::Match match_;
  const bool ignore_case_;
  std::atomic<const Snapshot*> published_{nullptr};
};

// Made of the parts that it holds; a part is a case of its number.
struct LivePatterns::Index {
  Index(std::vector<PatternRows::Part> all, abi::Match match, bool ignore_case);
  std::vector<PatternRows::Part> parts;
  std::vector<kernels::SetView> views;
  kernels::Choice choice;
};

struct LivePatterns::Snapshot {
  std::vector<PatternRows::Part> all;
  std::shared_ptr<const Index> index;   // null of a short list
  std::vector<bool> outdated;           // by part of the index: it is among `all` no more
  std::vector<PatternRows::Part> rest;  // of `all`: those that the index does not know
};

}  // namespace hawser::tables
