// What the evaluator looked at, in the order in which it did: the data behind `hawser explain`.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/config.h"

namespace hawser::eval {

// One value that a test saw, and the first pattern that matches it; null: none does, or the test has no patterns.
struct TracedValue {
  abi::SampleType type = abi::SampleType::absent;
  std::string text;
  const model::Pattern* pattern = nullptr;
};

struct TracedTest {
  const model::Test* test = nullptr;
  std::vector<TracedValue> values;  // the test ends at the first that matches
  abi::Truth truth = abi::Truth::no;
};

// A term that was looked at: what behind a decided `or` or a failed `and` stands is not in the trace.
struct TracedTerm {
  const model::Term* term = nullptr;
  std::size_t group = 0;  // of Condition::any_of
  std::vector<TracedTest> tests;
  abi::Truth truth = abi::Truth::no;  // with its `!`
};

struct TracedRule {
  const model::Rule* rule = nullptr;           // of a ruleset
  const model::BackendRule* choice = nullptr;  // of `use_backend` lines
  const model::Condition* condition = nullptr;
  std::vector<TracedTerm> terms;
  bool applies = false;
  // What it came to: the value of a field or variable, a location, the name of a backend. Nothing for the others.
  std::string value;
  bool has_value = false;
};

struct Trace {
  std::vector<TracedRule> rules;
};

}  // namespace hawser::eval
