#include "runtime/tables/pattern_store.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "runtime/base/arena.h"
#include "runtime/kernels/casts.h"
#include "runtime/tables/live_reference.h"

namespace hawser::tables {

PatternStore::PatternStore(RestPoints& rest) : rest_(rest) {}
PatternStore::~PatternStore() = default;

void PatternStore::install(LiveSets& sets) {
  const std::lock_guard lock(mutex_);
  HAWSER_CHECK(sets.store_ == nullptr);
  const abi::ImageView& image = sets.image_;
  const auto& program = image.root<abi::Program>();
  listed_.clear();
  for (const abi::PatternReference& row : image.rows(program.references)) {
    std::string key(image.text(row.file));
    if (key.empty()) key = fmt::format("#{}", listed_.size());
    std::shared_ptr<LiveReference>& known = by_key_[key];
    if (known == nullptr || known->hash != row.hash) known = std::make_shared<LiveReference>();
    known->file = image.text(row.file);
    known->description = image.text(row.description);
    known->hash = row.hash;
    known->match = row.match;
    known->ignore_case = row.ignore_case;
    known->texts.clear();
    for (const abi::Text& text : image.rows(row.texts)) known->texts.emplace_back(image.text(text));
    listed_.push_back(known);
  }
  sets.store_ = this;
  const auto rows = image.rows(program.sets);
  sets.live_.resize(rows.size());
  for (std::uint32_t set = 0; set < rows.size(); ++set) {
    std::uint32_t first = 0;
    for (const abi::SetPart& part : image.rows(rows[set].parts)) {
      LiveReference& reference = *listed_[part.reference];
      sets.live_[set].push_back(&reference.method(rows[set].match, rows[set].ignore_case));
      reference.users.push_back({&sets, set, first, part.patterns});
      first += part.patterns;
    }
  }
  sets.references_.assign(listed_.begin(), listed_.end());
  for (const auto& reference : listed_) {
    if (reference->changed) took_effect(*reference);
  }
}

void PatternStore::uninstall(LiveSets& sets) {
  const std::lock_guard lock(mutex_);
  for (const auto& each : sets.references_) {
    LiveReference& reference = *each;
    std::erase_if(reference.users, [&](const LiveReference::User& user) { return user.sets == &sets; });
    reference.forget_unused_methods();
    if (!reference.loaded) continue;
    if (reference.users.empty() && !reference.edited) {
      reference.loaded = false;
      reference.versions.clear();
    } else {
      // The image goes.
      reference.own();
      publish(reference);
    }
  }
  sets.references_.clear();
  sets.store_ = nullptr;
  // Those of the Program installed last are kept for the next one; of the others those that a Program has.
  std::erase_if(by_key_, [](const auto& entry) { return entry.second.use_count() == 1; });
  reclaim_locked();
}

std::size_t PatternStore::references() const {
  const std::lock_guard lock(mutex_);
  return listed_.size();
}

LiveReference& PatternStore::at(ReferenceIndex reference) const {
  HAWSER_CHECK(reference < listed_.size());
  return *listed_[reference];
}

PatternStore::Summary PatternStore::summary(ReferenceIndex reference) const {
  const std::lock_guard lock(mutex_);
  const LiveReference& row = at(reference);
  const std::size_t readers = std::max<std::size_t>(row.methods.size(), 1);
  return {row.file, row.description, row.current, row.next, row.patterns() * readers};
}

std::optional<PatternStore::ReferenceIndex> PatternStore::find_file(std::string_view file) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t index = 0; index < listed_.size(); ++index) {
    if (!listed_[index]->file.empty() && listed_[index]->file == file) return static_cast<ReferenceIndex>(index);
  }
  return std::nullopt;
}

std::string PatternStore::add(ReferenceIndex index, Version version, std::string_view pattern) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  const auto parsed = reference.parse(pattern);
  if (!parsed) return parsed.error();
  reference.load();
  const std::uint32_t number = version.value_or(reference.current);
  reference.add(reference.versions[number], pattern, *parsed);
  reference.edited = true;
  if (number == reference.current) took_effect(reference);
  return "";
}

std::size_t PatternStore::erase(ReferenceIndex index, std::string_view pattern) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  std::vector<std::uint64_t> numbers;
  for (const auto& [version, contents] : reference.versions) {
    contents.texts.each([&](const PatternChunk& chunk, std::uint32_t row) {
      if (chunk.text(row) == pattern) numbers.push_back(chunk.number(row));
    });
  }
  return erase_numbers(reference, numbers);
}

std::size_t PatternStore::erase_number(ReferenceIndex index, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  bool known = false;
  for (const auto& [version, contents] : reference.versions) {
    contents.texts.each(
        [&](const PatternChunk& chunk, std::uint32_t row) { known = known || chunk.number(row) == number; });
  }
  if (!known) return 0;
  return erase_numbers(reference, {number});
}

std::size_t PatternStore::erase_numbers(LiveReference& reference, const std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) return 0;
  const std::size_t before = reference.versions[reference.current].texts.size();
  for (auto& [version, contents] : reference.versions) {
    for (const std::uint64_t number : numbers) reference.erase(contents, number);
  }
  reference.edited = true;
  if (reference.versions[reference.current].texts.size() != before) took_effect(reference);
  return numbers.size();
}

void PatternStore::clear(ReferenceIndex index, Version version) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  const std::uint32_t number = version.value_or(reference.current);
  const auto found = reference.versions.find(number);
  if (found == reference.versions.end()) return;
  found->second = {PatternRows(), std::vector<PatternRows>(reference.methods.size())};
  reference.edited = true;
  if (number == reference.current) took_effect(reference);
}

std::uint32_t PatternStore::prepare(ReferenceIndex index) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  reference.edited = true;
  return ++reference.next;
}

bool PatternStore::commit(ReferenceIndex index, std::uint32_t version) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  // Versions wrap: what counts is how far they are from the current one.
  const std::uint32_t ahead = version - reference.current;
  if (ahead == 0 || ahead > reference.next - reference.current) return false;
  reference.load();
  std::erase_if(reference.versions,
                [&](const auto& each) { return static_cast<std::int32_t>(each.first - version) < 0; });
  reference.current = version;
  reference.versions[version].parsed.resize(reference.methods.size());
  reference.edited = true;
  took_effect(reference);
  return true;
}

PatternRows PatternStore::rows(ReferenceIndex index, Version version) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  const auto found = reference.versions.find(version.value_or(reference.current));
  return found == reference.versions.end() ? PatternRows() : found->second.texts;
}

// Whatever was written is published, and then said to be so.
void PatternStore::took_effect(LiveReference& reference) {
  reference.changed = true;
  publish(reference);
  for (const LiveReference::User& user : reference.users) mark_changed(*user.sets, user.set);
  reclaim_locked();
}

void PatternStore::publish(LiveReference& reference) {
  const LiveReference::Contents& contents = reference.versions[reference.current];
  for (std::size_t at = 0; at < reference.methods.size(); ++at) {
    LivePatterns& method = *reference.methods[at];
    auto before = method.publish(reads_text(method.match()) ? contents.texts : contents.parsed[at]);
    if (before != nullptr) fresh_.push_back(std::move(before));
  }
}

// A set that has several references is looked at through all of them once one has changed.
void PatternStore::mark_changed(LiveSets& sets, std::uint32_t set) {
  if (sets.changed(set)) return;
  const auto& program = sets.image_.root<abi::Program>();
  for (const abi::SetPart& part : sets.image_.rows(sets.image_.rows(program.sets)[set].parts)) {
    LiveReference& other = *sets.references_[part.reference];
    if (other.loaded && other.changed) continue;
    other.load();
    publish(other);
  }
  sets.set_changed(set);
}

void PatternStore::reclaim() {
  const std::lock_guard lock(mutex_);
  reclaim_locked();
}

void PatternStore::reclaim_locked() {
  if (!waiting_.empty() && rest_.passed(mark_)) waiting_.clear();
  if (!waiting_.empty() || fresh_.empty()) return;
  waiting_.swap(fresh_);
  mark_ = rest_.mark();
  if (rest_.passed(mark_)) waiting_.clear();
}

namespace {

// HAProxy keeps these in trees, and finds the longest pattern there; the others in lists, where the first counts.
bool finds_longest(abi::Match match, bool ignore_case) noexcept {
  return match == abi::Match::ip || (match == abi::Match::begin && !ignore_case);
}

std::size_t length_of(const PatternChunk& chunk, std::uint32_t row, abi::Match match) {
  return match == abi::Match::ip ? chunk.row(row).prefix_bits : chunk.text(row).size();
}

}  // namespace

std::vector<PatternStore::Found> PatternStore::look_up(ReferenceIndex index, std::string_view value) {
  const std::lock_guard lock(mutex_);
  LiveReference& reference = at(index);
  reference.load();
  std::vector<Found> found;
  Arena arena(256);
  const auto sample_for = [&](abi::Match match) {
    abi::Sample sample = abi::Sample::text(value);
    kernels::cast(sample, kernels::match_input(match), arena);
    return sample;
  };
  if (reference.methods.empty()) {
    // Of a value that is given, haproxy 2.6 does not say that it is found.
    const bool matches =
        reference.match == abi::Match::boolean && kernels::matches(sample_for(reference.match), {}, reference.match);
    found.push_back({reference.match, reference.ignore_case, matches, std::nullopt});
  }
  const LiveReference::Contents& contents = reference.versions[reference.current];
  for (std::size_t at = 0; at < reference.methods.size(); ++at) {
    const LivePatterns& method = *reference.methods[at];
    const abi::Sample sample = sample_for(method.match());
    Found& result = found.emplace_back(Found{method.match(), method.ignore_case(), false, std::nullopt});
    std::size_t longest = 0;
    const PatternRows& rows = reads_text(method.match()) ? contents.texts : contents.parsed[at];
    rows.each([&](const PatternChunk& chunk, std::uint32_t row) {
      const std::size_t length = length_of(chunk, row, method.match());
      if (result.matches && !(finds_longest(method.match(), method.ignore_case()) && length > longest)) return;
      kernels::SetView one = chunk.view(row + 1, method.match(), method.ignore_case());
      one.patterns = one.patterns.subspan(row);
      if (!one.expressions.empty()) one.expressions = one.expressions.subspan(row);
      if (!kernels::matches(sample, one)) return;
      result.matches = true;
      result.pattern = chunk.text(row);
      longest = length;
    });
  }
  return found;
}

}  // namespace hawser::tables
