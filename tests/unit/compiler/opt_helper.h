// Runs one pass over a function given as text.
#pragma once

#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/opt/opt.h"

namespace hawser::test {

// The proxies f, a, b and c (0 to 3), and sets: #0 to #3 of one text each, #4 without any, #5 of six texts, #6 a network
// and #7 an integer.
inline std::string with_head(const std::string& blocks, const std::string& point) {
  std::string text = "proxy 0 \"f\"\nproxy 1 \"a\"\nproxy 2 \"b\"\nproxy 3 \"c\"\nreplies 4\n";
  const auto set = [&](int number, const char* method, const std::string& patterns) {
    text += "set #" + std::to_string(number) + " " + method + " acl \"\" file \"\" {\n" + patterns + "}\n";
  };
  for (int at = 0; at < 4; ++at) set(at, "str", "  \"v" + std::to_string(at) + "\" line 1\n");
  set(4, "str", "");
  set(5, "beg",
      "  \"/1\" line 1\n  \"/2\" line 1\n  \"/3\" line 1\n  \"/4\" line 1\n  \"/5\" line 1\n  \"/6\" line 1\n");
  set(6, "ip", "  \"10.0.0.0/8\" address 10.0.0.0/8 line 1\n");
  set(7, "int", "  \"5\" line 1\n");
  return text + "function 0 " + point + " {\n" + blocks + "}\n";
}

inline ir::Module parsed(const std::string& text) {
  std::variant<ir::Module, ir::ParseError> read = ir::parse(text);
  if (const auto* wrong = std::get_if<ir::ParseError>(&read)) {
    MESSAGE(wrong->line << ": " << wrong->text << "\n" << text);
    REQUIRE(false);
  }
  ir::Module module = std::get<ir::Module>(std::move(read));
  REQUIRE(ir::verify(module) == "");
  return module;
}

// The blocks behind the pass. What it says of having changed something must be so.
inline std::string after(opt::Pass pass, const std::string& blocks, const std::string& point = "http_request") {
  ir::Module module = parsed(with_head(blocks, point));
  ir::Function& function = module.functions.front();
  const std::string before = ir::print(module, function);
  const bool changed = pass(module, function);
  const std::string text = ir::print(module, function);
  CHECK(changed == (text != before));
  CHECK(ir::verify(module) == "");
  const std::string head = "function 0 " + point + " {\n";
  return text.substr(head.size(), text.size() - head.size() - 2);
}

}  // namespace hawser::test
