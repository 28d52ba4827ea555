// Regular expressions, as PCRE2 knows them: compiled once, matched without taking memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace hawser::kernels {

// A compiled expression. Shared by all threads: it never changes, and what a match needs belongs to the thread. Copies
// share the code.
class Regex {
 public:
  // What is wrong with an expression, and at which byte, in PCRE2's words.
  struct Problem {
    std::string text;
    std::size_t offset = 0;
  };
  struct Options {
    bool ignore_case = false;
    bool captures = false;  // plain groups do, and may be referred to; named ones always may
  };
  static Result<Regex, Problem> compile(std::string_view pattern, const Options& options);

  // Anywhere in `text`. False too where the answer would take more steps or memory than PCRE2's limits allow.
  bool matches(std::string_view text) const noexcept;

 private:
  Regex(std::shared_ptr<void> code, bool machine_code) noexcept : code_(std::move(code)), machine_code_(machine_code) {}
  std::shared_ptr<void> code_;
  bool machine_code_;  // else it is interpreted: where no code may be made at run time
};

}  // namespace hawser::kernels
