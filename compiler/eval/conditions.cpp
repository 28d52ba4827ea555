#include "compiler/eval/conditions.h"

#include "compiler/eval/expressions.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"

namespace hawser::eval {
namespace {

using abi::Sample;
using abi::Truth;

Truth opposite(Truth truth) {
  if (truth == Truth::unknown) return Truth::unknown;
  return truth == Truth::yes ? Truth::no : Truth::yes;
}
Truth either(Truth a, Truth b) {
  if (a == Truth::yes || b == Truth::yes) return Truth::yes;
  return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::no;
}
Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::yes;
}

std::string shown(const Sample& sample, Arena& arena) {
  Sample text = sample;
  kernels::cast(text, abi::SampleType::string, arena);
  return text.is_absent() ? std::string() : std::string(text.view());
}

// One value of a test. `seen`, unless null, gets it and the pattern.
Truth matches(const Scope& scope, const model::Test& test, const Sample& value, std::vector<TracedValue>* seen) {
  Sample input = value;
  kernels::cast(input, kernels::match_input(test.match), scope.arena());
  const model::Pattern* pattern = nullptr;
  bool yes = false;
  if (test.match == abi::Match::found) {
    yes = !input.is_absent();
  } else if (test.match == abi::Match::boolean) {
    yes = !input.is_absent() && input.integer != 0;
  } else {
    pattern = scope.patterns.find(test.set, test.match, input);
    yes = pattern != nullptr;
  }
  if (seen != nullptr) seen->push_back({value.type, shown(value, scope.arena()), pattern});
  if (yes) return Truth::yes;
  return value.pending ? Truth::unknown : Truth::no;
}

// True when any of its values matches.
Truth holds(const Scope& scope, const model::Test& test, TracedTest* traced) {
  Truth truth = Truth::no;
  Occurrences values(scope, test.sample);
  do {
    truth = either(truth, matches(scope, test, values.value(), traced == nullptr ? nullptr : &traced->values));
  } while (truth != Truth::yes && values.next());
  if (traced != nullptr) traced->truth = truth;
  return truth;
}

// True when any of the tests of its name is.
Truth holds(const Scope& scope, const model::Term& term, TracedTerm* traced) {
  Truth truth = Truth::no;
  for (const model::Test& test : scope.config.acls[term.acl].tests) {
    TracedTest* const note = traced == nullptr ? nullptr : &traced->tests.emplace_back();
    if (note != nullptr) note->test = &test;
    truth = either(truth, holds(scope, test, note));
    if (truth == Truth::yes) break;
  }
  if (term.negated) truth = opposite(truth);
  if (traced != nullptr) traced->truth = truth;
  return truth;
}

}  // namespace

Truth holds(const Scope& scope, const model::Condition& condition, std::vector<TracedTerm>* terms) {
  Truth any = Truth::no;
  for (std::size_t group = 0; group < condition.any_of.size() && any != Truth::yes; ++group) {
    Truth all = Truth::yes;
    for (const model::Term& term : condition.any_of[group]) {
      TracedTerm* const note = terms == nullptr ? nullptr : &terms->emplace_back();
      if (note != nullptr) {
        note->term = &term;
        note->group = group;
      }
      all = both(all, holds(scope, term, note));
      // Where nothing more comes, what is not known fails as what is false does.
      if (all == Truth::no || (all == Truth::unknown && !scope.waits())) break;
    }
    any = either(any, all);
  }
  if (any == Truth::unknown && !scope.waits()) any = Truth::no;
  return condition.unless ? opposite(any) : any;
}

}  // namespace hawser::eval
