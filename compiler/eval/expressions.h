// Sample expressions and formats: their values.
#pragma once

#include <string>
#include <vector>

#include "compiler/eval/scope.h"

namespace hawser::eval {

// The value of an expression where one is asked for: the occurrence that its arguments name, or the fetch's own choice.
abi::Sample value_of(const Scope& scope, const model::SampleExpr& sample);

// The values of an expression in a test, one occurrence after the other. There is always a first one, which may be absent.
class Occurrences {
 public:
  Occurrences(const Scope& scope, const model::SampleExpr& sample);
  const abi::Sample& value() const noexcept { return value_; }
  bool next();  // false: there is no further one

 private:
  abi::Sample fetch(bool next);

  const Scope& scope_;
  const model::SampleExpr& sample_;
  abi::ImageView image_;
  std::vector<abi::Constant> arguments_;
  exec::Frame::Cursor cursor_;
  abi::Sample value_;
};

// Of a field, a location, a body, a name: what is absent is nothing, control characters are escaped.
std::string text_of(const Scope& scope, const model::Format& format);

// Of a log line: what is absent is "-", and blanks are separators, of which no two stand side by side.
std::string line_of(const Scope& scope, const model::Format& format);

}  // namespace hawser::eval
