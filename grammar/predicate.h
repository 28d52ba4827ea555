// The conditions of `.if` and `-cc`, and where one is wrong.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "grammar/reader.h"

namespace hawser::grammar {

struct PredicateError {
  std::string text;    // "unparsable conditional expression 'foo'"
  std::size_t at = 0;  // the byte of the condition
};

std::variant<bool, PredicateError> evaluate(std::string_view condition, const Environment& environment,
                                            const Reader::Predicate& predicate);

}  // namespace hawser::grammar
