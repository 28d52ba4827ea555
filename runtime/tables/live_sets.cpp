#include "runtime/tables/live_sets.h"

#include <algorithm>

#include "runtime/tables/pattern_store.h"

namespace hawser::tables {

LiveSets::LiveSets(const abi::ImageView& image, std::span<const kernels::SetView> sets)
    : image_(image), sets_(sets), changed_(std::make_unique<std::atomic<std::uint32_t>[]>(sets.size())) {}

LiveSets::~LiveSets() {
  if (store_ != nullptr) store_->uninstall(*this);
}

bool LiveSets::matches(std::uint32_t set, const abi::Sample& sample, abi::Match match,
                       std::size_t worker) const noexcept {
  if (store_ == nullptr) return kernels::matches(sample, sets_[set], match);
  store_->rest_.begin_work(worker);
  // What was published before the word was set is seen behind this.
  static_cast<void>(changed_[set].load(std::memory_order_acquire));
  return std::any_of(live_[set].begin(), live_[set].end(),
                     [&](const LivePatterns* live) { return live->matches(sample, match); });
}

void LiveSets::set_changed(std::uint32_t set) noexcept {
  if (changed_[set].load(std::memory_order_relaxed) != 0) return;
  changed_[set].store(1, std::memory_order_release);
  if (on_change) on_change(set);
}

}  // namespace hawser::tables
