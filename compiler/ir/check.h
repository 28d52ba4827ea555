// What the two parts of the verifier share.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "compiler/ir/module.h"

namespace hawser::ir {

// Remembers the first thing that is wrong, and in which block.
class Check {
 public:
  void enter(BlockId block) noexcept { block_ = block; }
  bool ok() const noexcept { return error_.empty(); }
  const std::string& error() const noexcept { return error_; }

  template <class... Args>
  bool expect(bool condition, fmt::format_string<Args...> text, Args&&... args) {
    if (condition || !error_.empty()) return condition;
    if (block_.valid()) error_ = fmt::format("b{}: ", block_.index);
    error_ += fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

 private:
  BlockId block_;
  std::string error_;
};

// Of a function in which everything that is named exists.
std::string verify_flow(const Module& module, const Function& function);

}  // namespace hawser::ir
