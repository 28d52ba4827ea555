#include "runtime/kernels/choice.h"

#include <algorithm>
#include <cstring>

#include "runtime/kernels/casts.h"

namespace hawser::kernels {

using abi::Match;
using abi::Sample;
using abi::SampleType;

namespace {

template <class Table, class... Args>
Table& made(std::unique_ptr<Table>& table, Args... args) {
  if (table == nullptr) table = std::make_unique<Table>(args...);
  return *table;
}

template <class... Tables>
void finish_all(const std::unique_ptr<Tables>&... tables) {
  ((tables != nullptr ? tables->finish() : void()), ...);
}

template <class Table, class Value>
std::uint32_t first_of(const std::unique_ptr<Table>& table, const Value& value, std::uint32_t from) noexcept {
  return table == nullptr ? abi::kNoCase : table->first(value, from);
}

}  // namespace

Choice::Choice(std::span<const ChoiceCase> cases) {
  for (const ChoiceCase& one : cases) add(one);
  finish();
}

void Choice::add(const ChoiceCase& one) {
  switch (one.match) {
    case Match::integer:
    case Match::length:
      for (const abi::Pattern& pattern : one.set->patterns) {
        made(one.match == Match::integer ? integers_ : lengths_).add(pattern.low, pattern.high, one.number);
      }
      return;
    case Match::ip:
      for (const abi::Pattern& pattern : one.set->patterns) {
        if (pattern.ip_family == 4) made(ipv4_, 4).add(pattern.ip, pattern.prefix_bits, one.number);
        if (pattern.ip_family == 6) made(ipv6_, 16).add(pattern.ip, pattern.prefix_bits, one.number);
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
  const bool ignore_case = one.set->ignore_case;
  Texts& texts = texts_[ignore_case ? 1 : 0];
  switch (one.match) {
    case Match::string:
    case Match::binary: return add_to(made(texts.whole, ignore_case));
    case Match::begin: return add_to(made(texts.begin, AffixTable::Side::begin, ignore_case));
    case Match::end: return add_to(made(texts.end, AffixTable::Side::end, ignore_case));
    default: return false;
  }
}

void Choice::finish() {
  for (const Texts& texts : texts_) finish_all(texts.whole, texts.begin, texts.end);
  finish_all(integers_, lengths_, ipv4_, ipv6_);
}

std::uint32_t Choice::first(const Sample& sample, std::uint32_t from) const noexcept {
  if (sample.is_absent()) return abi::kNoCase;
  std::uint32_t best = abi::kNoCase;
  if (is_text(sample.type)) {
    best = first_of_texts(sample.view(), from);
  } else if (sample.type == SampleType::sint || sample.type == SampleType::boolean) {
    best = first_of(integers_, sample.integer, from);
  } else if (sample.type == SampleType::ipv4 || sample.type == SampleType::ipv6) {
    best = first_of_networks(sample, from);
  }
  return others_.empty() ? best : first_of_others(sample, from, best);
}

std::uint32_t Choice::first_of_texts(std::string_view text, std::uint32_t from) const noexcept {
  std::uint32_t best = abi::kNoCase;
  for (const Texts& texts : texts_) {
    best = std::min(
        {best, first_of(texts.whole, text, from), first_of(texts.begin, text, from), first_of(texts.end, text, from)});
  }
  return std::min(best, first_of(lengths_, static_cast<std::int64_t>(text.size()), from));
}

// Across families in the forms that hold the other, as matches() says.
std::uint32_t Choice::first_of_networks(const Sample& sample, std::uint32_t from) const noexcept {
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  static constexpr std::uint8_t kCompatible[12] = {};
  if (sample.type == SampleType::ipv4) {
    const std::uint32_t best = first_of(ipv4_, sample.ip, from);
    if (ipv6_ == nullptr) return best;
    std::uint8_t mapped[16];
    std::memcpy(mapped, kMapped, sizeof kMapped);
    std::memcpy(mapped + 12, sample.ip, 4);
    return std::min(best, ipv6_->first(mapped, from));
  }
  const std::uint32_t best = first_of(ipv6_, sample.ip, from);
  if (ipv4_ == nullptr) return best;
  if (std::memcmp(sample.ip, kMapped, 12) == 0 || std::memcmp(sample.ip, kCompatible, 12) == 0) {
    return std::min(best, ipv4_->first(sample.ip + 12, from));
  }
  if (sample.ip[0] == 0x20 && sample.ip[1] == 0x02) return std::min(best, ipv4_->first(sample.ip + 2, from));
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
