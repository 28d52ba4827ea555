// Sets that change while a Program runs, and what is left of them for the next one.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tables/pattern_store.h"
#include "runtime/tables/state.h"

namespace hawser::tables {
namespace {

using abi::Match;
using abi::Sample;

struct SetSource {
  Match match = Match::string;
  std::vector<std::uint32_t> references;  // each with its patterns
};

struct ReferenceSource {
  std::string file;
  std::vector<std::string> patterns;
};

// A Program of sets alone, and what an engine makes of them.
class Sets {
 public:
  Sets(const std::vector<ReferenceSource>& references, const std::vector<SetSource>& sets) {
    abi::ImageBuilder builder;
    std::vector<abi::PatternReference> reference_rows;
    for (const ReferenceSource& source : references) {
      abi::PatternReference& row = reference_rows.emplace_back();
      row.file = builder.text(source.file);
      row.hash = 14695981039346656037u;
      for (const std::string& text : source.patterns) row.hash = row.hash * 31 + std::hash<std::string>()(text);
    }
    std::vector<abi::PatternSet> set_rows;
    for (const SetSource& source : sets) {
      std::vector<abi::Pattern> patterns;
      std::vector<abi::SetPart> parts;
      for (const std::uint32_t reference : source.references) {
        for (const std::string& text : references[reference].patterns)
          patterns.push_back(row_of(builder, text, source.match));
        parts.push_back({reference, static_cast<std::uint32_t>(references[reference].patterns.size())});
      }
      abi::PatternSet& row = set_rows.emplace_back();
      row.match = source.match;
      row.patterns = builder.rows(patterns);
      row.parts = builder.rows(parts);
    }
    abi::Program program;
    program.references = builder.rows(reference_rows);
    program.sets = builder.rows(set_rows);
    bytes_ = builder.finish(program);
    image_ = bytes_.view();
    REQUIRE(abi::verify(image_) == "");
    for (const abi::PatternSet& set : image_.rows(image_.root<abi::Program>().sets)) {
      views_.push_back({&image_, image_.rows(set.patterns), set.match, set.ignore_case});
      auto& expressions = expressions_.emplace_back();
      if (set.match != Match::regex) continue;
      for (const abi::Pattern& pattern : views_.back().patterns) {
        expressions.push_back(kernels::Regex::compile(image_.text(pattern.text), {}).value());
      }
      views_.back().expressions = expressions;
    }
    live_ = std::make_unique<LiveSets>(image_, views_);
  }

  LiveSets& live() { return *live_; }
  bool matches(std::uint32_t set, const Sample& sample) const {
    if (live_->changed(set)) return live_->matches(set, sample, views_[set].match, 0);
    return kernels::matches(sample, views_[set]);
  }
  bool matches(std::uint32_t set, std::string_view text) const { return matches(set, Sample::text(text)); }

 private:
  static abi::Pattern row_of(abi::ImageBuilder& builder, const std::string& text, Match match) {
    abi::Pattern row;
    row.text = builder.text(text);
    const auto parsed = kernels::parse_pattern(text, match, {});
    REQUIRE(parsed.ok());
    row.low = parsed->range.low;
    row.high = parsed->range.high;
    return row;
  }

  abi::Image bytes_;
  abi::ImageView image_;
  std::vector<kernels::SetView> views_;
  std::vector<std::vector<kernels::Regex>> expressions_;
  std::unique_ptr<LiveSets> live_;
};

std::vector<std::string> texts(PatternStore& store, std::uint32_t reference, PatternStore::Version version = {}) {
  std::vector<std::string> texts;
  store.rows(reference, version).each([&](const PatternChunk& chunk, std::uint32_t row) {
    texts.emplace_back(chunk.text(row));
  });
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a set's word is 0 until it changes, and the set then is what the commands left") {
  State state(1);
  Sets sets({{"", {"a", "b"}}, {"", {"x"}}}, {{Match::string, {0}}, {Match::string, {1}}});
  std::vector<std::uint32_t> told;
  sets.live().on_change = [&](std::uint32_t set) { told.push_back(set); };
  state.patterns().install(sets.live());
  CHECK_FALSE(sets.live().changed(0));
  CHECK(state.patterns().add(0, {}, "c") == "");
  CHECK(sets.live().changed(0));
  CHECK(sets.live().changed_words()[0].load() != 0);
  CHECK_FALSE(sets.live().changed(1));
  CHECK(sets.matches(0, "a"));
  CHECK(sets.matches(0, "c"));
  CHECK(state.patterns().erase(0, "a") == 1);
  CHECK_FALSE(sets.matches(0, "a"));
  CHECK(sets.matches(0, "b"));
  CHECK(told == std::vector<std::uint32_t>{0});
}

TEST_CASE("a pattern is read by each method of its reference, or by none") {
  State state(1);
  Sets sets({{"file", {"5", "10:20"}}}, {{Match::string, {0}}, {Match::integer, {0}}, {Match::regex, {0}}});
  state.patterns().install(sets.live());
  CHECK(state.patterns().add(0, {}, "x") == "'x' is not a number");
  CHECK_FALSE(sets.live().changed(0));
  CHECK(state.patterns().add(0, {}, "7-9") == "");
  CHECK(sets.matches(0, "7-9"));
  CHECK(sets.matches(1, Sample::sint(8)));
  CHECK(sets.matches(1, Sample::sint(15)));
  CHECK(sets.matches(2, "a 7-9"));
  CHECK(state.patterns().erase(0, "10:20") == 1);
  CHECK_FALSE(sets.matches(1, Sample::sint(15)));
  CHECK(state.patterns().summary(0).entries == 6);
}

TEST_CASE("a set of several references goes by all of them once one has changed") {
  State state(1);
  Sets sets({{"file", {"a"}}, {"", {"b"}}, {"", {}}}, {{Match::string, {0, 1}}, {Match::string, {0, 2}}});
  state.patterns().install(sets.live());
  CHECK(state.patterns().add(1, {}, "c") == "");
  CHECK(sets.matches(0, "a"));
  CHECK(sets.matches(0, "c"));
  CHECK_FALSE(sets.live().changed(1));
  CHECK(state.patterns().erase(0, "a") == 1);
  CHECK_FALSE(sets.matches(0, "a"));
  CHECK_FALSE(sets.matches(1, "a"));
  CHECK(state.patterns().add(2, {}, "d") == "");
  CHECK(sets.matches(1, "d"));
  CHECK_FALSE(sets.matches(0, "d"));
}

TEST_CASE("what is added to a version matches when it is committed, in place of all that was there") {
  State state(1);
  Sets sets({{"", {"a"}}}, {{Match::string, {0}}});
  PatternStore& store = state.patterns();
  store.install(sets.live());
  CHECK_FALSE(store.commit(0, 0));
  CHECK(store.prepare(0) == 1);
  CHECK(store.prepare(0) == 2);
  CHECK(store.add(0, 1, "old") == "");
  CHECK(store.add(0, 2, "b") == "");
  CHECK(store.summary(0).entries == 3);
  CHECK_FALSE(sets.matches(0, "b"));
  CHECK_FALSE(store.commit(0, 3));
  CHECK(store.commit(0, 2));
  CHECK(sets.matches(0, "b"));
  CHECK_FALSE(sets.matches(0, "a"));
  CHECK_FALSE(store.commit(0, 1));
  CHECK(store.summary(0).entries == 1);
  CHECK(store.prepare(0) == 3);
  CHECK(store.commit(0, 3));
  CHECK_FALSE(sets.matches(0, "b"));
}

TEST_CASE("a pattern is removed from every version, a number from the one that has it") {
  State state(1);
  Sets sets({{"", {"a", "b", "a"}}}, {{Match::string, {0}}});
  PatternStore& store = state.patterns();
  store.install(sets.live());
  store.prepare(0);
  CHECK(store.add(0, 1, "a") == "");
  CHECK(store.erase(0, "a") == 3);
  CHECK(store.erase(0, "a") == 0);
  CHECK(texts(store, 0) == Texts{"b"});
  CHECK(texts(store, 0, 1).empty());
  const PatternRows rows = store.rows(0, {});
  CHECK(store.erase_number(0, rows.parts()[0].chunk->number(0)) == 1);
  CHECK(store.erase_number(0, 12345) == 0);
  CHECK(texts(store, 0).empty());
}

TEST_CASE("rows that were asked for stay what they were") {
  State state(1);
  Sets sets({{"", {"a", "b"}}}, {{Match::string, {0}}});
  state.patterns().install(sets.live());
  CHECK(state.patterns().add(0, {}, "c") == "");
  const PatternRows before = state.patterns().rows(0, {});
  CHECK(state.patterns().add(0, {}, "d") == "");
  state.patterns().clear(0, {});
  std::string seen;
  before.each([&](const PatternChunk& chunk, std::uint32_t row) { seen += chunk.text(row); });
  CHECK(seen == "abc");
}

// A list as it should be, and commands that change both at random.
class Churn {
 public:
  Churn(Match match, std::size_t first) : match_(match) {
    for (std::size_t at = 0; at < first; ++at) expected_.push_back(pattern());
    sets_ = std::make_unique<Sets>(std::vector<ReferenceSource>{{"", expected_}}, std::vector<SetSource>{{match, {0}}});
    state_.patterns().install(sets_->live());
  }

  void change() {
    PatternStore& store = state_.patterns();
    if (random(3) == 0 && !expected_.empty()) {
      const std::string gone = expected_[random(expected_.size())];
      const auto count = static_cast<std::size_t>(std::count(expected_.begin(), expected_.end(), gone));
      REQUIRE(store.erase(0, gone) == count);
      std::erase(expected_, gone);
    } else {
      expected_.push_back(pattern());
      REQUIRE(store.add(0, {}, expected_.back()) == "");
    }
  }

  // Asks for a value that may match, and compares with a search in order.
  void ask() {
    const bool number = match_ == Match::integer;
    const std::string text = pattern() + (random(2) == 0 ? "7" : "");
    const Sample sample = number ? Sample::sint(static_cast<std::int64_t>(random(40'000))) : Sample::text(text);
    const bool yes = std::any_of(expected_.begin(), expected_.end(), [&](const std::string& each) {
      if (!number) return kernels::match_text(text, each, match_, false);
      const auto range = kernels::parse_range(each);
      return range->low <= sample.integer && sample.integer <= range->high;
    });
    CHECK(sets_->matches(0, sample) == yes);
  }

  const Texts& expected() const { return expected_; }
  Texts actual() { return texts(state_.patterns(), 0); }

 private:
  std::size_t random(std::size_t below) {
    seed_ = seed_ * 1664525 + 1013904223;
    return (seed_ >> 8) % below;
  }
  std::string pattern() {
    const std::size_t value = random(20'000);
    if (match_ != Match::integer) return "p" + std::to_string(value) + std::string(value % 50, 'x');
    return std::to_string(value * 2) + (value % 5 == 0 ? ":" + std::to_string(value * 2 + 1) : "");
  }

  const Match match_;
  std::uint32_t seed_ = 1;
  State state_{1};
  Texts expected_;
  std::unique_ptr<Sets> sets_;
};

TEST_CASE("patterns come and go by thousands; those that are there match, in their order, and no other") {
  for (const Match match : {Match::string, Match::begin, Match::end, Match::integer, Match::substring}) {
    for (const std::size_t first : {0, 1000}) {
      CAPTURE(abi::to_string(match));
      Churn churn(match, first);
      for (int at = 0; at < 2500; ++at) {
        churn.change();
        if (at % 5 == 0) churn.ask();
      }
      CHECK(churn.actual() == churn.expected());
    }
  }
}

TEST_CASE("adding to a long list copies a chunk at most") {
  Texts many;
  for (int at = 0; at < 10'000; ++at) many.push_back("pattern" + std::to_string(at));
  State state(1);
  Sets sets({{"", many}}, {{Match::string, {0}}});
  state.patterns().install(sets.live());
  const PatternRows before = state.patterns().rows(0, {});
  for (int at = 0; at < 1000; ++at) REQUIRE(state.patterns().add(0, {}, "more") == "");
  const PatternRows after = state.patterns().rows(0, {});
  CHECK(after.size() == 11'000);
  CHECK(after.parts().size() < 11'000 / PatternChunk::kRowsMax + 8);
  for (std::size_t at = 0; at < before.parts().size(); ++at) {
    CHECK(before.parts()[at].chunk == after.parts()[at].chunk);
  }
}

TEST_CASE("two Programs installed one after the other: edits stay where the file's bytes are the same") {
  State state(1);
  {
    Sets first({{"kept", {"a"}}, {"edited", {"a"}}, {"", {"i"}}},
               {{Match::string, {0}}, {Match::string, {1}}, {Match::string, {2}}});
    state.patterns().install(first.live());
    for (const std::uint32_t reference : {0u, 1u, 2u}) CHECK(state.patterns().add(reference, {}, "new") == "");
    CHECK(state.patterns().erase(0, "a") == 1);
  }
  Sets second({{"edited", {"a", "b"}}, {"kept", {"a"}}, {"", {"i"}}},
              {{Match::string, {0}}, {Match::end, {1}}, {Match::string, {2}}});
  state.patterns().install(second.live());
  CHECK_FALSE(second.live().changed(0));
  CHECK(second.matches(0, "b"));
  CHECK_FALSE(second.matches(0, "new"));
  CHECK(second.live().changed(1));
  CHECK(second.matches(1, "a new"));
  CHECK_FALSE(second.matches(1, "a"));
  CHECK(second.matches(2, "new"));
  CHECK(second.matches(2, "i"));
  CHECK(texts(state.patterns(), 1) == Texts{"new"});
}

TEST_CASE("while two Programs run, a command changes both") {
  State state(1);
  Sets first({{"file", {"1"}}}, {{Match::string, {0}}});
  state.patterns().install(first.live());
  {
    Sets second({{"file", {"1"}}}, {{Match::integer, {0}}});
    state.patterns().install(second.live());
    CHECK(state.patterns().add(0, {}, "2") == "");
    CHECK(first.matches(0, "2"));
    CHECK(second.matches(0, Sample::sint(2)));
    CHECK(second.matches(0, Sample::sint(1)));
    CHECK(state.patterns().summary(0).entries == 4);
  }
  CHECK(first.matches(0, "1"));
  CHECK(first.matches(0, "2"));
  CHECK(state.patterns().summary(0).entries == 2);
  CHECK(state.patterns().add(0, {}, "no number") == "");
}

TEST_CASE("the longest beginning is found, and else the first pattern that matches") {
  State state(1);
  Sets sets({{"", {"/a", "/a/b"}}, {"", {"1:5", "3"}}},
            {{Match::begin, {0}}, {Match::end, {0}}, {Match::integer, {1}}});
  PatternStore& store = state.patterns();
  store.install(sets.live());
  CHECK(store.look_up(0, "/a/b/c")[0].pattern == "/a/b");
  CHECK(store.look_up(0, "x/a/b")[1].pattern == "/a/b");
  CHECK_FALSE(store.look_up(0, "x")[0].matches);
  CHECK(store.look_up(1, "3")[0].pattern == "1:5");
  CHECK(store.find_file("none") == std::nullopt);
}

TEST_CASE("a worker at rest holds nothing back, one at work until its turn ends") {
  RestPoints rest(2);
  const auto idle = rest.mark();
  CHECK(rest.passed(idle));
  rest.begin_work(0);
  rest.begin_work(0);
  const auto busy = rest.mark();
  CHECK_FALSE(rest.passed(busy));
  rest.rest(0);
  CHECK(rest.passed(busy));
  rest.begin_work(0);
  CHECK(rest.passed(busy));
  CHECK(rest.passed(idle));
}

TEST_CASE("a snapshot is freed when the worker that may look at it has been at rest") {
  State state(1);
  Sets sets({{"", {"a"}}}, {{Match::string, {0}}});
  state.patterns().install(sets.live());
  CHECK(state.patterns().add(0, {}, "b") == "");
  std::weak_ptr<PatternChunk> chunk = state.patterns().rows(0, {}).parts().back().chunk;
  CHECK(sets.matches(0, "b"));
  state.patterns().clear(0, {});
  state.patterns().reclaim();
  CHECK_FALSE(chunk.expired());
  state.rest.rest(0);
  state.patterns().reclaim();
  CHECK(chunk.expired());
}

}  // namespace
}  // namespace hawser::tables
