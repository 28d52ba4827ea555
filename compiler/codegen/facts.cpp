#include "compiler/codegen/facts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/ascii.h"
#include "runtime/base/hash.h"

namespace hawser::codegen {
namespace {

using abi::Constant;
using abi::Match;
using abi::Op;
using abi::Pattern;
using abi::PatternSet;
using abi::Step;

// Beyond these a look-up of the set's own is faster than comparing with one after the other.
constexpr std::size_t kPatternsMax = 16;
constexpr std::size_t kTextBytesMax = 64;

template <class Word>
Word load(const std::uint8_t* bytes) noexcept {
  Word value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void set_mask(std::span<std::uint8_t> mask, unsigned prefix_bits) noexcept {
  for (unsigned at = 0; at < mask.size(); ++at) {
    const unsigned bits = prefix_bits > 8 * at ? std::min(prefix_bits - 8 * at, 8u) : 0;
    mask[at] = static_cast<std::uint8_t>(0xff00 >> bits);
  }
}

Comparison::Network network(const std::uint8_t* address, unsigned prefix_bits) noexcept {
  std::uint8_t mask[4];
  set_mask(mask, prefix_bits);
  const auto loaded = load<std::uint32_t>(mask);
  return {loaded, load<std::uint32_t>(address) & loaded};
}

Comparison::WideNetwork wide_network(const std::uint8_t* address, unsigned prefix_bits) noexcept {
  std::uint8_t mask[16];
  set_mask(mask, prefix_bits);
  Comparison::WideNetwork network;
  for (unsigned half = 0; half < 2; ++half) {
    network.mask[half] = load<std::uint64_t>(mask + 8 * half);
    network.bits[half] = load<std::uint64_t>(address + 8 * half) & network.mask[half];
  }
  return network;
}

// What a pattern means for an IPv4 sample; nothing when it matches none. An IPv6 pattern matches the mapped form.
std::optional<Comparison::Network> network(const Pattern& pattern) noexcept {
  if (pattern.ip_family == 4) return network(pattern.ip, pattern.prefix_bits);
  if (pattern.ip_family != 6) return std::nullopt;
  static constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const unsigned leading = std::min<unsigned>(pattern.prefix_bits, 96);
  for (unsigned bit = 0; bit < leading; ++bit) {
    if (((pattern.ip[bit / 8] ^ kMapped[bit / 8]) >> (7 - bit % 8) & 1) != 0) return std::nullopt;
  }
  return network(pattern.ip + 12, pattern.prefix_bits - leading);
}

// What a pattern means for an IPv6 sample: one of IPv4 matches the mapped, the compatible and the 6to4 form.
void add_wide_networks(const Pattern& pattern, std::vector<Comparison::WideNetwork>& networks) {
  if (pattern.ip_family == 6) networks.push_back(wide_network(pattern.ip, pattern.prefix_bits));
  if (pattern.ip_family != 4) return;
  for (const auto& [begin, at] :
       {std::pair<std::array<std::uint8_t, 12>, unsigned>{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12},
        {{}, 12},
        {{0x20, 0x02}, 2}}) {
    std::uint8_t address[16] = {};
    std::copy_n(begin.begin(), begin.size(), address);
    std::copy_n(pattern.ip, 4, address + at);
    networks.push_back(wide_network(address, 8 * at + pattern.prefix_bits));
  }
}

// What a key is a hash of. Everything stands with its number or its size before it, so that no two facts read alike.
class Text {
 public:
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void add(const std::optional<Comparison>& comparison) {
    add(comparison.has_value());
    if (!comparison) return;
    add(static_cast<std::uint64_t>(comparison->match));
    add(comparison->by_bindings);
    add(comparison->ignore_case);
    add(comparison->texts.size());
    for (const Comparison::Text& text : comparison->texts) {
      add(text.bytes.size());
      add(std::as_bytes(std::span(text.bytes)));
    }
    add(comparison->ranges.size());
    add(std::as_bytes(std::span(comparison->ranges)));
    add(comparison->networks.size());
    add(std::as_bytes(std::span(comparison->networks)));
    add(comparison->wide_networks.size());
    add(std::as_bytes(std::span(comparison->wide_networks)));
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

Facts::Facts(abi::ImageView image)
    : image_(image),
      program_(&image.root<abi::Program>()),
      steps_(image.rows(program_->steps)),
      functions_(image.rows(program_->functions)),
      sets_(image.rows(program_->sets)),
      bindings_(functions_.size()),
      places_(functions_.size()) {
  const auto proxies = image_.rows(program_->proxies);
  for (std::size_t proxy = 0; proxy < proxies.size(); ++proxy) {
    for (std::size_t point = 0; point < abi::kEntryPoints; ++point) {
      const abi::Entry& entry = proxies[proxy].at[point];
      if (entry.function == abi::kNoFunction) continue;
      bindings_[entry.function].push_back(entry.bindings);
      std::string& place = places_[entry.function];
      if (place.empty()) place = fmt::format("proxy{}.{}", proxy, name_of(static_cast<abi::EntryPoint>(point)));
    }
  }
}

std::string Facts::place(std::size_t function) const {
  return places_[function].empty() ? "unused" : places_[function];
}

std::optional<Constant::Kind> Facts::kind(std::size_t function, std::uint32_t at) const {
  std::optional<Constant::Kind> common;
  for (const auto& rows : bindings_[function]) {
    const Constant::Kind one = image_.rows(rows)[at].kind;
    if (common && *common != one) return std::nullopt;
    common = one;
  }
  return common;
}

bool Facts::same_patterns(const PatternSet& a, const PatternSet& b) const {
  if (&a == &b) return true;
  if (a.ignore_case != b.ignore_case || a.patterns.count != b.patterns.count) return false;
  const auto left = image_.rows(a.patterns);
  const auto right = image_.rows(b.patterns);
  for (std::size_t at = 0; at < left.size(); ++at) {
    const Pattern& one = left[at];
    const Pattern& other = right[at];
    if (one.low != other.low || one.high != other.high || one.ip_family != other.ip_family ||
        one.prefix_bits != other.prefix_bits || std::memcmp(one.ip, other.ip, sizeof one.ip) != 0 ||
        image_.text(one.text) != image_.text(other.text)) {
      return false;
    }
  }
  return true;
}

const PatternSet* Facts::common_set(std::size_t function, std::uint32_t at) const {
  const PatternSet* common = nullptr;
  for (const auto& rows : bindings_[function]) {
    const Constant& one = image_.rows(rows)[at];
    if (one.kind != Constant::Kind::set) return nullptr;
    const PatternSet& set = sets_[one.index];
    if (set.patterns.count > kPatternsMax) return nullptr;
    if (common != nullptr && !same_patterns(*common, set)) return nullptr;
    if (common == nullptr) common = &set;
  }
  return common;
}

bool Facts::have_one_pattern(std::size_t function, const Step& step) const {
  const auto match = static_cast<Match>(step.a);
  if (match != Match::string && match != Match::binary && match != Match::begin && match != Match::end &&
      match != Match::integer && match != Match::length && match != Match::ip) {
    return false;
  }
  for (const auto& rows : bindings_[function]) {
    const Constant& one = image_.rows(rows)[step.b];
    if (one.kind != Constant::Kind::set || sets_[one.index].patterns.count != 1) return false;
    if (match == Match::ip && image_.rows(sets_[one.index].patterns)[0].ip_family != 4) return false;
  }
  return !bindings_[function].empty();
}

std::optional<Comparison> Facts::comparison(std::size_t function, const Step& step) const {
  Comparison comparison;
  comparison.match = static_cast<Match>(step.a);
  if (comparison.match == Match::found || comparison.match == Match::boolean) return comparison;
  const PatternSet* const set = common_set(function, step.b);
  if (set == nullptr) {
    comparison.by_bindings = have_one_pattern(function, step);
    return comparison.by_bindings ? std::optional(comparison) : std::nullopt;
  }
  comparison.ignore_case = set->ignore_case;
  bool has_wide = false;
  for (const Pattern& pattern : image_.rows(set->patterns)) {
    switch (comparison.match) {
      case Match::string:
      case Match::binary:
      case Match::begin:
      case Match::end: {
        const std::string_view text = image_.text(pattern.text);
        if (text.size() > kTextBytesMax) return std::nullopt;
        comparison.texts.push_back({set->ignore_case ? lower_cased(text) : std::string(text)});
        break;
      }
      case Match::integer:
      case Match::length: comparison.ranges.push_back({pattern.low, pattern.high}); break;
      case Match::ip:
        if (const auto one = network(pattern)) comparison.networks.push_back(*one);
        add_wide_networks(pattern, comparison.wide_networks);
        has_wide |= pattern.ip_family == 6;
        break;
      default: return std::nullopt;
    }
  }
  if (!has_wide || comparison.wide_networks.size() > kPatternsMax) comparison.wide_networks.clear();
  return comparison;
}

abi::NativeKey Facts::key(std::size_t function, std::uint64_t seed) const {
  Text text;
  const std::span<const Step> steps = this->steps(function);
  text.add(steps.size());
  text.add(functions_[function].resume_points);
  text.add(std::as_bytes(steps));
  for (const Step& step : steps) {
    if (step.op == Op::load)
      text.add(kind(function, step.b) ? 1 + static_cast<std::uint64_t>(*kind(function, step.b)) : 0);
    if (step.op == Op::test) text.add(comparison(function, step));
  }
  return {{content_hash(text.bytes(), seed), content_hash(text.bytes(), ~seed)}};
}

}  // namespace hawser::codegen
