#include "runtime/process/code_cache.h"

#include <algorithm>
#include <string_view>

namespace hawser::process {
namespace {

constexpr std::size_t kEntriesMax = 4;

std::string_view bytes_of(const abi::HeldImage& image) {
  return {reinterpret_cast<const char*>(image.bytes().data()), image.bytes().size()};
}

}  // namespace

int CodeCache::find(int program_file) {
  if (entries_.empty()) return -1;
  const Result<abi::HeldImage> wanted = map_sealed(program_file);
  if (!wanted) return -1;
  const std::uint64_t hash = std::hash<std::string_view>()(bytes_of(*wanted));
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->hash != hash) continue;
    const Result<abi::HeldImage> known = map_sealed(entry->program.get());
    if (!known || bytes_of(*known) != bytes_of(*wanted)) continue;
    std::rotate(entry, entry + 1, entries_.end());
    return newest();
  }
  return -1;
}

void CodeCache::keep(OwnedDescriptor program, OwnedDescriptor code) {
  const Result<abi::HeldImage> image = map_sealed(program.get());
  if (!image) return;
  if (entries_.size() >= kEntriesMax) entries_.erase(entries_.begin());
  entries_.push_back({std::hash<std::string_view>()(bytes_of(*image)), std::move(program), std::move(code)});
}

void CodeCache::append_descriptors(std::vector<int>& descriptors) const {
  for (const Entry& entry : entries_) {
    descriptors.insert(descriptors.end(), {entry.program.get(), entry.code.get()});
  }
}

}  // namespace hawser::process
