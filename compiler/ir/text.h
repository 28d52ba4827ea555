// The IR as text, and back: the form of --dump=ir and --dump=ir-opt. Printing what was parsed gives the same text.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "compiler/ir/module.h"

namespace hawser::ir {

std::string print(const Module& module);
std::string print(const Module& module, const Function& function);

struct ParseError {
  std::size_t line = 0;  // from 1
  std::string text;
};

// What is parsed is well-formed (ids exist, operands are there), but not verified.
std::variant<Module, ParseError> parse(std::string_view text);

}  // namespace hawser::ir
