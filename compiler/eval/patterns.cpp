#include "compiler/eval/patterns.h"

#include <cstring>

#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"

namespace hawser::eval {

using abi::Match;
using abi::SampleType;

Patterns::Patterns(const model::Config& config) : config_(config), expressions_(config.sets.size()) {
  for (std::size_t at = 0; at < config.sets.size(); ++at) {
    const model::PatternSet& set = config.sets[config.sets.id_at(at)];
    if (set.match != Match::regex) continue;
    for (const model::Pattern& pattern : set.patterns) {
      auto compiled = kernels::Regex::compile(pattern.text, {.ignore_case = set.ignore_case, .captures = false});
      HAWSER_CHECK(compiled.ok());
      expressions_[at].push_back(std::move(compiled).value());
    }
  }
}

const model::Pattern* Patterns::find(model::SetId id, Match match, const abi::Sample& sample) const {
  if (sample.is_absent()) return nullptr;
  const model::PatternSet& set = config_.sets[id];
  for (std::size_t at = 0; at < set.patterns.size(); ++at) {
    if (matches(id.index, at, match, sample)) return &set.patterns[at];
  }
  return nullptr;
}

bool Patterns::matches(std::size_t set, std::size_t at, Match match, const abi::Sample& sample) const {
  const model::PatternSet& row = config_.sets[config_.sets.id_at(set)];
  const model::Pattern& pattern = row.patterns[at];
  switch (match) {
    case Match::found:
    case Match::boolean: return false;  // they have no patterns
    case Match::integer: return pattern.low <= sample.integer && sample.integer <= pattern.high;
    case Match::length: {
      const auto size = static_cast<std::int64_t>(sample.view().size());
      return pattern.low <= size && size <= pattern.high;
    }
    case Match::ip: return kernels::match_address(sample, abi::Sample::address(pattern.address), pattern.prefix_bits);
    case Match::regex: return expressions_[set][at].matches(sample.view());
    case Match::string:
    case Match::binary:
    case Match::begin:
    case Match::end:
    case Match::substring:
    case Match::directory:
    case Match::domain: return kernels::match_text(sample.view(), pattern.text, match, row.ignore_case);
  }
  return false;
}

}  // namespace hawser::eval
