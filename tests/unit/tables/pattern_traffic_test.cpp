// Sets that change while several threads look at them: no answer is wrong once a change is done, and nothing is freed that
// somebody looks at (run it under ThreadSanitizer and AddressSanitizer).
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/tables/pattern_store.h"
#include "runtime/tables/state.h"

namespace hawser::tables {
namespace {

using abi::Match;
using abi::Sample;

constexpr std::uint32_t kStill = 0;  // a set that nobody changes
constexpr std::uint32_t kText = 1;   // a file by two methods, and a pattern written inline
constexpr std::uint32_t kRegex = 2;

abi::Image program_of_sets() {
  abi::ImageBuilder builder;
  std::vector<abi::PatternReference> references(3);
  references[1].file = builder.text("file");
  abi::Pattern always;
  always.text = builder.text("always");
  std::vector<abi::Pattern> many(300, always);
  std::vector<abi::PatternSet> sets(3);
  const auto part = [&](std::uint32_t reference, std::uint32_t patterns) { return abi::SetPart{reference, patterns}; };
  sets[kStill].patterns = builder.rows(std::vector<abi::Pattern>{always});
  sets[kStill].parts = builder.rows(std::vector<abi::SetPart>{part(0, 1)});
  std::vector<abi::Pattern> both = many;
  both.push_back(always);
  sets[kText].patterns = builder.rows(both);
  sets[kText].parts = builder.rows(std::vector<abi::SetPart>{part(1, 300), part(2, 1)});
  sets[kRegex].match = Match::regex;
  sets[kRegex].patterns = builder.rows(many);
  sets[kRegex].parts = builder.rows(std::vector<abi::SetPart>{part(1, 300)});
  abi::Program program;
  program.references = builder.rows(references);
  program.sets = builder.rows(sets);
  return builder.finish(program);
}

struct Fixture {
  explicit Fixture(std::size_t workers) : state(workers) {
    REQUIRE(abi::verify(image) == "");
    for (const abi::PatternSet& set : image.rows(image.root<abi::Program>().sets)) {
      views.push_back({&image, image.rows(set.patterns), set.match, false});
    }
    for (std::size_t at = 0; at < views[kRegex].patterns.size(); ++at) {
      expressions.push_back(kernels::Regex::compile("always", {}).value());
    }
    views[kRegex].expressions = expressions;
    live.emplace(image, views);
    state.patterns().install(*live);
  }
  bool matches(std::uint32_t set, std::string_view text, std::size_t worker) const {
    const Sample sample = Sample::text(text);
    if (live->changed(set)) return live->matches(set, sample, views[set].match, worker);
    return kernels::matches(sample, views[set]);
  }

  State state;
  abi::Image bytes = program_of_sets();
  abi::ImageView image = bytes.view();
  std::vector<kernels::SetView> views;
  std::vector<kernels::Regex> expressions;
  std::optional<LiveSets> live;
};

TEST_CASE("several threads see every change once it is done, and nothing that was freed") {
  constexpr std::size_t kWorkers = 3;
  constexpr int kRounds = 300;
  Fixture fixture(kWorkers);
  std::atomic<std::uint64_t> stage{
      0};  // odd: "sometimes" is in the file's patterns; moves before and after each change
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> turns[kWorkers] = {};
  // While a change is under way the stage is kMoving.
  constexpr std::uint64_t kMoving = ~std::uint64_t{0};
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      while (!over.load()) {
        for (int at = 0; at < 16; ++at) {
          const std::uint64_t before = stage.load();
          const bool text = fixture.matches(kText, "sometimes", worker);
          const bool regex = fixture.matches(kRegex, "or sometimes", worker);
          const bool inline_one = fixture.matches(kText, "always", worker);
          const bool still = fixture.matches(kStill, "always", worker) && !fixture.matches(kStill, "x", worker);
          const bool known = before != kMoving && stage.load() == before;
          const bool expected = before % 2 == 1;
          if (!still || !inline_one || (known && (text != expected || regex != expected))) ++wrong;
        }
        fixture.state.rest.rest(worker);
        ++turns[worker];
      }
    });
  }
  PatternStore& store = fixture.state.patterns();
  std::uint64_t now = 0;
  const auto change = [&](auto how) {
    stage.store(kMoving);
    how();
    stage.store(++now);
  };
  for (int round = 0; round < kRounds; ++round) {
    change([&] { CHECK(store.add(1, {}, "sometimes") == ""); });
    if (round % 3 == 0) {
      change([&] { CHECK(store.erase(1, "sometimes") == 1); });
    } else if (round % 3 == 1) {
      change([&] { store.clear(1, {}); });
    } else {
      const std::uint32_t version = store.prepare(1);
      for (int at = 0; at < 20; ++at) CHECK(store.add(1, version, "filler") == "");
      change([&] { CHECK(store.commit(1, version)); });
    }
  }
  // Every thread has seen something, or the test shows nothing.
  for (const auto& of_worker : turns) {
    while (of_worker.load() == 0) std::this_thread::yield();
  }
  over.store(true);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong.load() == 0);
  for (std::size_t worker = 0; worker < kWorkers; ++worker) fixture.state.rest.rest(worker);
  CHECK_FALSE(fixture.live->changed(kStill));
}

}  // namespace
}  // namespace hawser::tables
