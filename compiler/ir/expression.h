// Sample expressions of the IR: a fetch with its arguments and converters, without a place and without a purpose.
//
// Expressions are interned in their Module: equal ones have the same id, and equal ids are how a pass knows "the same
// value", as long as nothing between writes what is read (effects.h). Whether one occurrence or every one is looked at is
// the instruction's affair: `sample` takes one, `match` and `select` go through all.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/expression.h"
#include "runtime/abi/rows.h"

namespace hawser::ir {

using ExpressionId = Id<struct ExpressionTag>;

struct Conversion {
  abi::ConverterId converter{};
  std::vector<model::Arg> args;  // as many as the row has params
};

struct Expression {
  abi::FetchId fetch{};
  bool of_response = false;      // what serves both messages serves the response
  std::vector<model::Arg> args;  // as many as the row has params; names of fields in lower case
  std::vector<Conversion> converters;

  // The type of its value, before any cast; `any` when only the run knows.
  abi::SampleType type() const noexcept;
  // Whether there may be several occurrences.
  bool many() const noexcept { return abi::row(fetch).many; }
};

// Whether a value of this type can be matched by `match` as it is.
bool fits(abi::SampleType type, abi::Match match) noexcept;

// Whether the first argument names a field, so that it stands in lower case.
bool names_field(abi::FetchId fetch) noexcept;

// As it stands in the printed IR: req.hdr("host"),lower. Equal texts are equal expressions.
std::string to_text(const Expression& expression);

}  // namespace hawser::ir
