#include "runtime/kernels/choice_index.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"

namespace hawser::kernels {
namespace {

std::uint64_t load(const char* data, std::size_t size) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, data, size);
  return word;
}

// Eight characters at once: bit 7 of a byte is set where it is A to Z.
std::uint64_t lower_cased_word(std::uint64_t word) noexcept {
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  const std::uint64_t low = word & kEach * 0x7f;
  const std::uint64_t from_a = low + kEach * (0x80 - 'A');
  const std::uint64_t behind_z = low + kEach * (0x7f - 'Z');
  const std::uint64_t upper = from_a & ~behind_z & ~word & kEach * 0x80;
  return word | upper >> 2;
}

// The words of a text, the last one filled up with zeros.
template <class Use>
void each_word(std::string_view text, bool ignore_case, Use use) noexcept {
  for (std::size_t at = 0; at < text.size(); at += 8) {
    const std::uint64_t word = load(text.data() + at, std::min<std::size_t>(8, text.size() - at));
    use(ignore_case ? lower_cased_word(word) : word);
  }
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void CaseLists::finish(std::size_t lists) {
  begins_.assign(lists + 1, 0);
  for (const Entry& entry : pending_) ++begins_[entry.list + 1];
  for (std::size_t at = 0; at < lists; ++at) begins_[at + 1] += begins_[at];
  numbers_.resize(pending_.size());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end());
  for (const Entry& entry : pending_) numbers_[next[entry.list]++] = entry.number;
  std::vector<Entry>().swap(pending_);
}

std::uint32_t CaseLists::first(std::uint32_t list, std::uint32_t from) const noexcept {
  const std::uint32_t* begin = numbers_.data() + begins_[list];
  const std::uint32_t* end = numbers_.data() + begins_[list + 1];
  if (begin == end) return abi::kNoCase;
  if (*begin >= from) return *begin;
  begin = std::lower_bound(begin, end, from);
  return begin == end ? abi::kNoCase : *begin;
}

void TextTable::add(std::string_view key, std::uint32_t number) {
  if (keys_.size() * 2 >= slots_.size()) grow();
  const std::uint32_t hash = this->hash(key);
  Slot& slot = *place(key, hash);
  if (slot.key == 0) {
    keys_.push_back(key);
    slot = {hash, static_cast<std::uint32_t>(keys_.size())};
  }
  lists_.add(slot.key - 1, number);
}

void TextTable::finish() {
  keys_.shrink_to_fit();
  lists_.finish(keys_.size());
}

std::uint32_t TextTable::first(std::string_view text, std::uint32_t from) const noexcept {
  if (slots_.empty()) return abi::kNoCase;
  const std::uint32_t hash = this->hash(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.key == 0) return abi::kNoCase;
    if (slot.hash == hash && equal(keys_[slot.key - 1], text)) return lists_.first(slot.key - 1, from);
  }
}

// The keys are the configuration's, so nobody can make many of them collide with what he sends.
std::uint32_t TextTable::hash(std::string_view text) const noexcept {
  constexpr std::uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t hash = text.size();
  each_word(text, ignore_case_, [&](std::uint64_t word) { hash = mixed(hash ^ word, kFactor); });
  return static_cast<std::uint32_t>(mixed(hash, kFactor));
}

bool TextTable::equal(std::string_view a, std::string_view b) const noexcept {
  if (a.size() != b.size()) return false;
  if (!ignore_case_) return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
  for (std::size_t at = 0; at < a.size(); at += 8) {
    const std::size_t size = std::min<std::size_t>(8, a.size() - at);
    if (lower_cased_word(load(a.data() + at, size)) != lower_cased_word(load(b.data() + at, size))) return false;
  }
  return true;
}

TextTable::Slot* TextTable::place(std::string_view key, std::uint32_t hash) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].key != 0 && !(slots_[at].hash == hash && equal(keys_[slots_[at].key - 1], key))) {
    at = (at + 1) & mask;
  }
  return &slots_[at];
}

void TextTable::grow() {
  std::vector<Slot> old(std::max<std::size_t>(8, slots_.size() * 2));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.key == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].key != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void AffixTable::add(std::string_view key, std::uint32_t number) {
  lengths_.push_back(static_cast<std::uint32_t>(key.size()));
  table_.add(key, number);
}

void AffixTable::finish() {
  sort_unique(lengths_);
  table_.finish();
}

std::uint32_t AffixTable::first(std::string_view text, std::uint32_t from) const noexcept {
  std::uint32_t best = abi::kNoCase;
  for (const std::uint32_t length : lengths_) {
    if (length > text.size()) break;
    const std::string_view part = side_ == Side::begin ? text.substr(0, length) : text.substr(text.size() - length);
    best = std::min(best, table_.first(part, from));
  }
  return best;
}

void RangeTable::add(std::int64_t low, std::int64_t high, std::uint32_t number) {
  if (low > high) return;
  pending_.push_back({low, high, number});
  begins_.push_back(low);
  if (high != INT64_MAX) begins_.push_back(high + 1);
}

void RangeTable::finish() {
  sort_unique(begins_);
  const std::size_t pieces = begins_.size();
  const auto piece = [&](std::int64_t value) {
    return static_cast<std::size_t>(std::lower_bound(begins_.begin(), begins_.end(), value) - begins_.begin());
  };
  for (const Range& range : pending_) {
    std::size_t left = pieces + piece(range.low);
    std::size_t right = pieces + (range.high == INT64_MAX ? pieces : piece(range.high + 1));
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) nodes_.add(static_cast<std::uint32_t>(left++), range.number);
      if (right % 2 == 1) nodes_.add(static_cast<std::uint32_t>(--right), range.number);
    }
  }
  std::vector<Range>().swap(pending_);
  nodes_.finish(2 * pieces);
}

std::uint32_t RangeTable::first(std::int64_t value, std::uint32_t from) const noexcept {
  const auto piece = std::upper_bound(begins_.begin(), begins_.end(), value);
  if (piece == begins_.begin()) return abi::kNoCase;
  std::uint32_t best = abi::kNoCase;
  std::size_t node = begins_.size() + static_cast<std::size_t>(piece - begins_.begin()) - 1;
  for (; node >= 1; node /= 2) best = std::min(best, nodes_.first(static_cast<std::uint32_t>(node), from));
  return best;
}

void NetworkTable::add(const std::uint8_t* network, unsigned bits, std::uint32_t number) {
  HAWSER_CHECK(bits <= bytes_ * 8);
  prefixes_.push_back(static_cast<std::uint8_t>(bits));
  table_.add(view(keys_.emplace_back(key(network, bits))), number);
}

void NetworkTable::finish() {
  sort_unique(prefixes_);
  table_.finish();
}

std::uint32_t NetworkTable::first(const std::uint8_t* address, std::uint32_t from) const noexcept {
  std::uint32_t best = abi::kNoCase;
  for (const std::uint8_t bits : prefixes_) best = std::min(best, table_.first(view(key(address, bits)), from));
  return best;
}

NetworkTable::Key NetworkTable::key(const std::uint8_t* address, unsigned bits) const noexcept {
  Key key{static_cast<char>(bits)};
  const std::size_t whole = bits / 8;
  std::memcpy(key.data() + 1, address, whole);
  if (bits % 8 != 0) key[1 + whole] = static_cast<char>(address[whole] & 0xff << (8 - bits % 8));
  return key;
}

}  // namespace hawser::kernels
