// The pattern sets of one Program as they live (contract 3): what the Program says until a command changes one, then what the
// command left.
//
// For each set there is one word, 0 for as long as the set is what its image says. Every form that was compiled from a set's
// first contents (a Choice, compares inlined into native code) is guarded by it:
//
//   - load the word of the set, by its index in Program::sets, before each use; a relaxed load is enough, it is one plain
//     32-bit load;
//   - 0: the compiled form answers;
//   - else ask Engine::matches(), which looks at the live contents with the order that needs.
//
// A word never goes back to 0 in the life of its Program. Whoever merged several sets into one form keeps a word of its own that
// on_change() sets. The words are set when the new contents can be seen, and before the command has its reply: a request
// that comes after the reply sees them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/kernels/matchers.h"
#include "runtime/tables/live_patterns.h"

namespace hawser::tables {

class PatternStore;
struct LiveReference;

class LiveSets {
 public:
  // `sets` are those of the Program in `image`, which both outlive this, as does the store it is installed to.
  LiveSets(const abi::ImageView& image, std::span<const kernels::SetView> sets);
  ~LiveSets();
  LiveSets(const LiveSets&) = delete;
  LiveSets& operator=(const LiveSets&) = delete;

  // By set, as many as Program::sets.
  const std::atomic<std::uint32_t>* changed_words() const noexcept { return changed_.get(); }
  bool changed(std::uint32_t set) const noexcept { return changed_[set].load(std::memory_order_relaxed) != 0; }

  // The live contents of a set that has changed, for a worker's own thread; from here to the end of its turn it is at work
  // (RestPoints).
  bool matches(std::uint32_t set, const abi::Sample& sample, abi::Match match, std::size_t worker) const noexcept;

  // Called by the writer when a set's word is set. Set before this is installed.
  std::function<void(std::uint32_t set)> on_change;

  // Sets the word of a set: its compiled forms are used no more. Without a store it is what it was all the same.
  void set_changed(std::uint32_t set) noexcept;

 private:
  friend class PatternStore;
  friend struct LiveReference;

  const abi::ImageView& image_;
  std::span<const kernels::SetView> sets_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> changed_;
  std::vector<std::vector<const LivePatterns*>> live_;      // by set; filled when this is installed
  std::vector<std::shared_ptr<LiveReference>> references_;  // the store's, by their `#id`
  PatternStore* store_ = nullptr;
};

}  // namespace hawser::tables
