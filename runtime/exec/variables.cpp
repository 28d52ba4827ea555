// Variables of one scope.
#include <cstring>

#include "runtime/exec/subject.h"
#include "runtime/kernels/casts.h"

namespace hawser::exec {
namespace {

std::uint64_t hash_of(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return hash;
}

}  // namespace

const abi::Sample* Variables::find(std::string_view name) const noexcept {
  const std::uint64_t hash = hash_of(name);
  for (const Entry& entry : entries_) {
    if (entry.hash == hash && entry.name == name) return entry.value.is_absent() ? nullptr : &entry.value;
  }
  return nullptr;
}

void Variables::set(std::string_view name, const abi::Sample& value, Arena& arena) {
  const std::uint64_t hash = hash_of(name);
  Entry* found = nullptr;
  for (Entry& entry : entries_) {
    if (entry.hash == hash && entry.name == name) found = &entry;
  }
  if (found == nullptr) {
    entries_.push_back({hash, arena.copy(name), abi::Sample::absent(), nullptr, 0});
    found = &entries_.back();
  }
  if (!kernels::is_text(value.type)) {
    found->value = value;
    return;
  }
  const std::string_view bytes = value.view();
  if (bytes.size() > found->capacity) {
    found->room = arena.allocate(bytes.size());
    found->capacity = static_cast<std::uint32_t>(bytes.size());
  }
  if (!bytes.empty()) std::memmove(found->room, bytes.data(), bytes.size());
  found->value = abi::Sample::text({found->room, bytes.size()}, value.type);
}

// The entry stays, so that its room is used again.
void Variables::unset(std::string_view name) noexcept {
  const std::uint64_t hash = hash_of(name);
  for (Entry& entry : entries_) {
    if (entry.hash == hash && entry.name == name) entry.value = abi::Sample::absent();
  }
}

}  // namespace hawser::exec
