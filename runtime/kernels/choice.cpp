#include "runtime/kernels/choice.h"

#include <algorithm>
#include <cstring>

#include "runtime/kernels/casts.h"

namespace hawser::kernels {

using abi::Match;
using abi::Sample;
using abi::SampleType;

Choice::Choice(std::span<const ChoiceCase> cases) {
  for (const ChoiceCase& one : cases) add(one);
  finish();
}

void Choice::add(const ChoiceCase& one) {
  switch (one.match) {
    case Match::integer:
    case Match::length:
      for (const abi::Pattern& pattern : one.set->patterns) {
        (one.match == Match::integer ? integers_ : lengths_).add(pattern.low, pattern.high, one.number);
      }
      return;
    case Match::ip:
      for (const abi::Pattern& pattern : one.set->patterns) {
        if (pattern.ip_family == 4) ipv4_.add(pattern.ip, pattern.prefix_bits, one.number);
        if (pattern.ip_family == 6) ipv6_.add(pattern.ip, pattern.prefix_bits, one.number);
      }
      return;
    default:
      if (!add_text(one)) others_.push_back(one);
  }
}

bool Choice::add_text(const ChoiceCase& one) {
  const auto add_to = [&](auto& table) {
    for (const abi::Pattern& pattern : one.set->patterns) table.add(one.set->image->text(pattern.text), one.number);
    return true;
  };
  Texts& texts = one.set->ignore_case ? folded_ : exact_;
  switch (one.match) {
    case Match::string:
    case Match::binary: return add_to(texts.whole);
    case Match::begin: return add_to(texts.begin);
    case Match::end: return add_to(texts.end);
    default: return false;
  }
}

void Choice::finish() {
  for (Texts* texts : {&exact_, &folded_}) {
    texts->whole.finish();
    texts->begin.finish();
    texts->end.finish();
  }
  integers_.finish();
  lengths_.finish();
  ipv4_.finish();
  ipv6_.finish();
}

std::uint32_t Choice::first(const Sample& sample, std::uint32_t from) const noexcept {
  if (sample.is_absent()) return abi::kNoCase;
  std::uint32_t best = abi::kNoCase;
  if (is_text(sample.type)) {
    best = first_of_texts(sample.view(), from);
  } else if (sample.type == SampleType::sint || sample.type == SampleType::boolean) {
    best = integers_.first(sample.integer, from);
  } else if (sample.type == SampleType::ipv4 || sample.type == SampleType::ipv6) {
    best = first_of_networks(sample, from);
  }
  return others_.empty() ? best : first_of_others(sample, from, best);
}

std::uint32_t Choice::first_of_texts(std::string_view text, std::uint32_t from) const noexcept {
  std::uint32_t best = abi::kNoCase;
  for (const Texts* texts : {&exact_, &folded_}) {
    if (!texts->whole.empty()) best = std::min(best, texts->whole.first(text, from));
    if (!texts->begin.empty()) best = std::min(best, texts->begin.first(text, from));
    if (!texts->end.empty()) best = std::min(best, texts->end.first(text, from));
  }
  if (!lengths_.empty()) best = std::min(best, lengths_.first(static_cast<std::int64_t>(text.size()), from));
  return best;
}

// Across families in the forms that hold the other, as matches() says.
std::uint32_t Choice::first_of_networks(const Sample& sample, std::uint32_t from) const noexcept {
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  static constexpr std::uint8_t kCompatible[12] = {};
  if (sample.type == SampleType::ipv4) {
    const std::uint32_t best = ipv4_.empty() ? abi::kNoCase : ipv4_.first(sample.ip, from);
    if (ipv6_.empty()) return best;
    std::uint8_t mapped[16];
    std::memcpy(mapped, kMapped, sizeof kMapped);
    std::memcpy(mapped + 12, sample.ip, 4);
    return std::min(best, ipv6_.first(mapped, from));
  }
  const std::uint32_t best = ipv6_.empty() ? abi::kNoCase : ipv6_.first(sample.ip, from);
  if (ipv4_.empty()) return best;
  if (std::memcmp(sample.ip, kMapped, 12) == 0 || std::memcmp(sample.ip, kCompatible, 12) == 0) {
    return std::min(best, ipv4_.first(sample.ip + 12, from));
  }
  if (sample.ip[0] == 0x20 && sample.ip[1] == 0x02) return std::min(best, ipv4_.first(sample.ip + 2, from));
  return best;
}

std::uint32_t Choice::first_of_others(const Sample& sample, std::uint32_t from, std::uint32_t below) const noexcept {
  auto one = std::lower_bound(others_.begin(), others_.end(), from,
                              [](const ChoiceCase& a, std::uint32_t number) { return a.number < number; });
  for (; one != others_.end() && one->number < below; ++one) {
    if (matches(sample, *one->set, one->match)) return one->number;
  }
  return below;
}

}  // namespace hawser::kernels
