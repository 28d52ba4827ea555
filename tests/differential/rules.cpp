// Engines against each other: random configurations and requests, one answer.
//
//   differential_rules [--pairs N | --all] [--seed S]
//   differential_rules --ask N [--seed S]
//
// Each configuration is compiled once and asked kRequests times; the evaluator's word is what the interpreter (also suspended at
// every step) and native code must say, without and with passes. It fails on a difference, which it shrinks before it
// prints it, and when a row that is supported, or an opcode, was never executed.
// --ask prints N configurations with requests, for tests/differential/rules.py to put to haproxy.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <fmt/format.h>

#include "grammar/diagnostics.h"
#include "tests/differential/rules_coverage.h"
#include "tests/differential/rules_engines.h"
#include "tests/differential/rules_generator.h"
#include "tests/support/program_text.h"
#include "tests/support/world.h"

namespace {

using namespace hawser;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kRequests = 20;       // for each configuration
constexpr std::size_t kDifferencesMax = 5;  // then it gives up

struct Options {
  std::size_t pairs = 3'000;
  std::size_t ask = 0;
  std::uint64_t seed = std::random_device()();
};

struct Sums {
  std::size_t configurations = 0;
  std::size_t refused = 0;
  std::size_t pairs = 0;
  std::size_t differences = 0;
};

void tell_difference(test::Configuration configuration, test::Traffic traffic, std::uint64_t seed) {
  test::shrink(configuration, traffic);
  std::string wrong;
  const auto engines = test::Engines::make(configuration, wrong);
  fmt::print("\nThe engines disagree (configuration of seed {}):\n{}\nabout, from {} to {}:\n{}\nanswered by:\n{}\n",
             seed, configuration.text(), traffic.client, traffic.local, traffic.request, traffic.response);
  const std::string told = engines == nullptr ? wrong : engines->compare(traffic);
  fmt::print("{}\n", told.empty() ? "(only behind the requests before it)" : told);
}

// What is made for points where data may still come, which no configuration has so far, is run by hand: an `or` of what is not known
// yet waits, and is decided when it is known.
bool waits_by_hand() {
  constexpr auto kVar = static_cast<std::uint16_t>(abi::FetchId::var);
  constexpr auto kBoolean = static_cast<std::uint16_t>(abi::Match::boolean);
  test::ProgramText text;
  const auto name = text.arguments({text.variable_constant(abi::VariableScope::txn, "v"), {}});
  text.step(abi::Op::clear_condition)
      .step(abi::Op::keep_condition, 1)
      .step(abi::Op::fetch, 0, kVar, name)
      .step(abi::Op::test, 0, kBoolean)
      .step(abi::Op::absorb_or, 1)
      .step(abi::Op::keep_condition, 1)
      .step(abi::Op::clear_condition)
      .step(abi::Op::negate)
      .step(abi::Op::absorb_and, 1)
      .step(abi::Op::jump_if, 0, 2, abi::kNoConstant, 11)
      .step(abi::Op::need, 0, 0, abi::kNoConstant, 0)
      .step(abi::Op::jump, 0, 0, abi::kNoConstant, 13)
      .step(abi::Op::next)
      .step(abi::Op::stop);
  const abi::Image image = text.finish();
  const auto engine = exec::Engine::make(image.view());
  if (!engine) return false;
  test::World world;
  exec::Subject subject = world.subject();
  const abi::Entry& entry = (*engine)->entry(0, abi::EntryPoint::http_request);
  abi::Sample value = abi::Sample::boolean(false);
  value.pending = true;
  world.txn.set("v", value, world.arena);
  if ((*engine)->run(entry, world.worker, subject, world.frame, 0).kind != exec::Outcome::Kind::need) return false;
  world.txn.set("v", abi::Sample::boolean(true), world.arena);
  const exec::ResumePoint point = world.frame.resume;
  return (*engine)->run(entry, world.worker, subject, world.frame, point).kind == exec::Outcome::Kind::stop;
}

void run_configuration(std::uint64_t seed, Sums& sums) {
  test::Generator generator(seed);
  test::Configuration configuration = generator.configuration();
  std::string wrong;
  const auto engines = test::Engines::make(configuration, wrong);
  ++sums.configurations;
  if (engines == nullptr) {
    ++sums.refused;
    fmt::print(stderr, "refused (seed {}): {}\n", seed, wrong);
    return;
  }
  for (std::size_t at = 0; at < kRequests; ++at) {
    const test::Traffic traffic = generator.traffic();
    ++sums.pairs;
    if (engines->compare(traffic).empty()) continue;
    ++sums.differences;
    tell_difference(configuration, traffic, seed);
    return;
  }
}

int compare_engines(const Options& options) {
  Sums sums;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t at = 0; sums.pairs < options.pairs && sums.differences < kDifferencesMax; ++at) {
    run_configuration(options.seed + at, sums);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const bool waits = waits_by_hand();
  const test::CoverageReport coverage = test::coverage_report();
  fmt::print("{}\n", coverage.text);
  fmt::print("seed {}: {} pairs, {} configurations ({} refused whole, {} lines left out), {:.0f} pairs/s, {} differ\n",
             options.seed, sums.pairs, sums.configurations, sums.refused, test::refused_lines(),
             static_cast<double>(sums.pairs) / took.count(), sums.differences);
  fmt::print("native functions that were not compiled again: {}\n", test::reused_functions());
  if (!coverage.missed.empty()) fmt::print("never executed:{}\n", coverage.missed);
  if (!waits) fmt::print("a condition that is not known yet does not wait\n");
  return sums.differences == 0 && coverage.missed.empty() && waits ? 0 : 1;
}

// One JSON object a line: the configuration, and each request with the response that the server gives.
int print_questions(const Options& options) {
  std::size_t printed = 0;
  for (std::uint64_t at = 0; printed < options.ask; ++at) {
    test::Generator generator(options.seed + at, {.for_haproxy = true});
    test::Configuration configuration = generator.configuration();
    const std::vector<std::string> lines = configuration.lines;
    // Placeholders become addresses for our own look at it.
    for (std::string& line : configuration.lines) {
      if (line.find("@LISTENER@") != std::string::npos) line = "  bind 127.0.0.1:8080";
      if (line.find("@SERVER@") != std::string::npos) line = "  server s 127.0.0.1:8081";
    }
    std::string wrong;
    if (test::Engines::make(configuration, wrong) == nullptr) continue;
    ++printed;
    std::string text = fmt::format("{{\"seed\":{},\"config\":{},\"exchanges\":[", options.seed + at,
                                   grammar::json_string(configuration.text()));
    for (std::size_t request = 0; request < kRequests; ++request) {
      const test::Traffic traffic = generator.traffic();
      text += fmt::format("{}[{},{}]", request == 0 ? "" : ",", grammar::json_string(traffic.request),
                          grammar::json_string(traffic.response));
    }
    fmt::print("{}]}}\n", text);
  }
  return 0;
}

bool read_options(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view word = words[at];
    const auto number = [&] { return ++at < count ? std::strtoull(words[at], nullptr, 10) : 0; };
    if (word == "--pairs") {
      options.pairs = number();
    } else if (word == "--all") {
      options.pairs = 100'000;
    } else if (word == "--seed") {
      options.seed = number();
    } else if (word == "--ask") {
      options.ask = number();
    } else {
      return false;
    }
  }
  return options.pairs > 0;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (!read_options(count, words, options)) {
    fmt::print(stderr, "differential_rules [--pairs N | --all | --ask N] [--seed S]\n");
    return 2;
  }
  return options.ask > 0 ? print_questions(options) : compare_engines(options);
}
