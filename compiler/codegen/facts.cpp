#include "compiler/codegen/facts.h"

#include <algorithm>
#include <cstring>
#include <string_view>

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

std::uint32_t load_32(const std::uint8_t* bytes) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Comparison::Network network(const std::uint8_t* address, unsigned prefix_bits) noexcept {
  std::uint8_t mask[4] = {};
  for (unsigned at = 0; at < 4; ++at) {
    const unsigned bits = prefix_bits > 8 * at ? std::min(prefix_bits - 8 * at, 8u) : 0;
    mask[at] = static_cast<std::uint8_t>(0xff00 >> bits);
  }
  const std::uint32_t loaded = load_32(mask);
  return {loaded, load_32(address) & loaded};
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

// What a key is a hash of. Everything stands with its number or its size before it, so that no two facts read alike.
class Text {
 public:
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void add(const std::optional<Comparison>& comparison) {
    add(comparison.has_value());
    if (!comparison) return;
    add(static_cast<std::uint64_t>(comparison->match));
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

std::optional<Comparison> Facts::comparison(std::size_t function, const Step& step) const {
  Comparison comparison;
  comparison.match = static_cast<Match>(step.a);
  if (comparison.match == Match::found || comparison.match == Match::boolean) return comparison;
  const PatternSet* const set = common_set(function, step.b);
  if (set == nullptr) return std::nullopt;
  comparison.ignore_case = set->ignore_case;
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
        break;
      default: return std::nullopt;
    }
  }
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
