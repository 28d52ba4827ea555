// Pattern sets, searched from the first pattern to the last.
#pragma once

#include <vector>

#include "compiler/model/config.h"
#include "runtime/abi/sample.h"
#include "runtime/kernels/regex.h"

namespace hawser::eval {

class Patterns {
 public:
  // Compiles the regular expressions; the resolver has refused those that are none.
  explicit Patterns(const model::Config& config);

  // The first pattern that matches a sample of the type that the method takes; null: none.
  const model::Pattern* find(model::SetId set, abi::Match match, const abi::Sample& sample) const;

 private:
  bool matches(std::size_t set, std::size_t pattern, abi::Match match, const abi::Sample& sample) const;

  const model::Config& config_;
  std::vector<std::vector<kernels::Regex>> expressions_;  // by set and pattern; none of a set without
};

}  // namespace hawser::eval
