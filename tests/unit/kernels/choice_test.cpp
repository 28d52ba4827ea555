// Choices answer as one matcher after the other does: random cases and values, and the edges by hand.
#include <doctest/doctest.h>

#include <random>

#include "runtime/base/arena.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/choice.h"

namespace hawser::kernels {
namespace {

using abi::Match;
using abi::Sample;
using abi::SampleType;

std::uint32_t first_of(std::span<const ChoiceCase> cases, const Sample& sample, std::uint32_t from) {
  for (const ChoiceCase& one : cases) {
    if (one.number >= from && matches(sample, *one.set, one.match)) return one.number;
  }
  return abi::kNoCase;
}

// Small worlds, so that what is random meets: few letters, few numbers, few networks.
class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

  std::string text() {
    static constexpr std::string_view kLetters = "abABz/.?:\xe1";
    std::string text;
    for (unsigned size = below(3) == 0 ? below(24) : below(5); size > 0; --size) text += kLetters[below(10)];
    return text;
  }
  std::int64_t number() {
    static constexpr std::int64_t kEdges[] = {INT64_MIN, INT64_MAX, 0, -1};
    return below(8) == 0 ? kEdges[below(4)] : static_cast<std::int64_t>(below(12)) - 3;
  }
  // The last bytes differ, and the first ones are those of the forms that hold an IPv4 address.
  IpAddress address() {
    static constexpr const char* kForms[] = {
        "192.0.2.1", "10.0.0.0", "0.0.0.0", "::", "::ffff:192.0.2.1", "::192.0.2.1", "2002:c000:201::", "2001:db8::1"};
    IpAddress address = *IpAddress::parse(kForms[below(8)]);
    const std::size_t size = address.family == IpAddress::Family::v4 ? 4 : 16;
    if (below(2) == 0) address.bytes[below(static_cast<unsigned>(size))] ^= static_cast<std::uint8_t>(1u << below(8));
    return address;
  }

  abi::Pattern pattern() {
    abi::Pattern pattern;
    pattern.text = image_.text(text());
    if (below(4) != 0) pattern.low = number();
    if (below(4) != 0) pattern.high = number();
    const IpAddress ip = address();
    std::copy(ip.bytes.begin(), ip.bytes.end(), pattern.ip);
    pattern.ip_family = below(16) == 0 ? 0 : ip.family == IpAddress::Family::v4 ? 4 : 6;
    const unsigned bits = pattern.ip_family == 4 ? 32 : pattern.ip_family == 6 ? 128 : 0;
    pattern.prefix_bits = static_cast<std::uint8_t>(below(3) == 0 ? bits : below(bits + 1));
    return pattern;
  }
  abi::ImageBuilder& image() { return image_; }

 private:
  std::mt19937 random_;
  abi::ImageBuilder image_;
};

struct EmptyRoot {
  static constexpr std::uint32_t kMagic = 1;
  static constexpr std::uint32_t kVersion = 1;
};

constexpr Match kTextMatches[] = {Match::string,    Match::binary, Match::begin,     Match::end,    Match::length,
                                  Match::substring, Match::regex,  Match::directory, Match::domain, Match::found};

// Of tests of texts, of integers, or of addresses; now and then of all.
Match random_match(World& world, unsigned kind) {
  if (kind == 3) kind = world.below(3);
  if (kind == 0) return kTextMatches[world.below(10)];
  if (kind == 1) return world.below(8) == 0 ? Match::boolean : Match::integer;
  return Match::ip;
}

Sample random_sample(World& world, Arena& arena) {
  switch (world.below(10)) {
    case 0: return Sample::absent();
    case 1: return Sample::boolean(world.below(2) == 1);
    case 2: return Sample::text(arena.copy(world.text()), SampleType::method);
    case 3:
    case 4: return Sample::sint(world.number());
    case 5:
    case 6:
    case 7: return Sample::address(world.address());
    default: return Sample::text(arena.copy(world.text()));
  }
}

TEST_CASE("a choice finds what a search through its cases finds, from whichever case it begins") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    World world(seed);
    const unsigned kind = world.below(4);
    const unsigned count = 1 + world.below(seed % 8 == 0 ? 300 : 12);
    std::vector<std::vector<abi::Pattern>> patterns(count);
    std::vector<std::vector<Regex>> expressions(count);
    std::vector<SetView> sets(count);
    std::vector<ChoiceCase> cases(count);
    std::uint32_t number = 0;
    for (unsigned at = 0; at < count; ++at) {
      for (unsigned size = world.below(4); size > 0; --size) patterns[at].push_back(world.pattern());
      number += world.below(3);
      cases[at] = {number, random_match(world, kind), &sets[at]};
      if (cases[at].match != Match::regex) continue;
      for (const char* one : {"^a.*b$", "zz", "[AB]/"}) {
        if (world.below(3) == 0) expressions[at].push_back(std::move(Regex::compile(one, {})).value());
      }
    }
    const abi::Image image = world.image().finish(EmptyRoot{});
    const abi::ImageView view = image.view();
    for (unsigned at = 0; at < count; ++at) {
      sets[at] = {&view, patterns[at], cases[at].match, world.below(2) == 1, expressions[at]};
    }
    const Choice choice(cases);
    Arena arena;
    for (unsigned turn = 0; turn < 60; ++turn) {
      Sample sample = random_sample(world, arena);
      // What a set holds is met more often than by accident.
      if (const unsigned at = world.below(count); world.below(2) == 0 && !patterns[at].empty()) {
        const std::string_view text = view.text(patterns[at].front().text);
        if (kind == 0) sample = Sample::text(arena.copy(std::string(text) + (world.below(2) == 0 ? "" : world.text())));
        if (kind == 1) sample = Sample::sint(patterns[at].front().high);
      }
      const std::uint32_t from = world.below(number + 2);
      CAPTURE(turn);
      CAPTURE(from);
      CHECK(choice.first(sample, from) == first_of(cases, sample, from));
      CHECK(choice.first(sample, 0) == first_of(cases, sample, 0));
    }
  }
}

// Sets of texts written here, case by case.
struct Lists {
  std::vector<abi::Pattern> patterns;
  abi::Image image;
  abi::ImageView view;
  std::vector<SetView> sets;
  std::vector<ChoiceCase> cases;
  Lists(Match match, bool ignore_case, const std::vector<const char*>& texts) {
    abi::ImageBuilder builder;
    for (const char* text : texts) patterns.emplace_back().text = builder.text(text);
    image = builder.finish(EmptyRoot{});
    view = image.view();
    for (const abi::Pattern& one : patterns) sets.push_back({&view, {&one, 1}, match, ignore_case});
    for (const SetView& set : sets) cases.push_back({static_cast<std::uint32_t>(cases.size()), match, &set});
  }
};

TEST_CASE("an empty pattern is the beginning and the end of every text, and whole of the empty one alone") {
  for (const Match match : {Match::begin, Match::end, Match::string}) {
    const Lists lists(match, false, {"ab", "", "a"});
    const Choice choice(lists.cases);
    CHECK(choice.first(Sample::text(""), 0) == 1);
    CHECK(choice.first(Sample::text("x"), 0) == (match == Match::string ? abi::kNoCase : 1));
    CHECK(choice.first(Sample::text("ab"), 0) == 0);
  }
}

TEST_CASE("case is ignored in letters of ASCII alone, in texts of every length") {
  std::string upper, lower;
  for (int at = 0; at < 20; ++at) {
    const Lists lists(Match::string, true, {lower.c_str()});
    const Choice choice(lists.cases);
    CHECK(choice.first(Sample::text(upper), 0) == 0);
    CHECK(choice.first(Sample::text(upper + "@"), 0) == abi::kNoCase);
    upper += static_cast<char>('A' + at);
    lower += static_cast<char>('a' + at);
  }
  const Lists others(Match::string, true, {"`{\xe1"});
  const Choice choice(others.cases);
  CHECK(choice.first(Sample::text("`{\xe1"), 0) == 0);
  CHECK(choice.first(Sample::text("@[\xe1"), 0) == abi::kNoCase);
  CHECK(choice.first(Sample::text("`{\xc1"), 0) == abi::kNoCase);
}

TEST_CASE("of many cases with one key the first from a number on is found") {
  const std::vector<const char*> same(1000, "key");
  const Lists lists(Match::string, false, same);
  const Choice choice(lists.cases);
  for (std::uint32_t from = 0; from < 1000; from += 37) CHECK(choice.first(Sample::text("key"), from) == from);
  CHECK(choice.first(Sample::text("key"), 1000) == abi::kNoCase);
}

}  // namespace
}  // namespace hawser::kernels
