// How --dump=model writes expressions.
#pragma once

#include <string>
#include <string_view>

#include "compiler/model/expression.h"

namespace hawser::model {

std::string quoted(std::string_view text);
std::string_view scope_name(abi::VariableScope scope);
// A fetch or converter with its arguments; `-` is one that was left out.
std::string call_text(std::string_view name, const std::vector<Arg>& args);
std::string text_of(const Variable& variable);
std::string text_of(const SampleExpr& sample);
std::string text_of(const Format& format);
std::string text_of(const Condition& condition);

}  // namespace hawser::model
