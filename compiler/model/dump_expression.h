// How --dump=model writes expressions.
#pragma once

#include <string>
#include <string_view>

#include "compiler/model/expression.h"

namespace hawser::model {

std::string quoted(std::string_view text);
std::string text_of(const Variable& variable);
std::string text_of(const SampleExpr& sample);
std::string text_of(const Format& format);
std::string text_of(const Condition& condition);

}  // namespace hawser::model
