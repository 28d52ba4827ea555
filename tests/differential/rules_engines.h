// One configuration, compiled once, and the engines that run it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "tests/differential/rules_generator.h"
#include "tests/support/machines.h"

namespace hawser::test {

class Engines {
 public:
  // Lines that the compiler refuses are taken out of `configuration`. Null, and `wrong`, when nothing sound is left.
  static std::unique_ptr<Engines> make(Configuration& configuration, std::string& wrong);

  // "" when all agree; else what each says.
  std::string compare(const Traffic& traffic);
  std::size_t size() const noexcept { return machines_.size(); }

 private:
  std::string add_program(std::string name, abi::Image program, bool native);
  void add_all(std::string& wrong);

  compiler::Compiled compiled_;
  std::vector<std::unique_ptr<abi::Image>> programs_;  // stay where they are: engines look at them
  std::vector<std::unique_ptr<Machine>> machines_;     // the evaluator first
};

// Leaves out of both whatever the engines still disagree without.
void shrink(Configuration& configuration, Traffic& traffic);

// How many lines were refused so far.
std::size_t refused_lines() noexcept;

// How many native functions were an earlier configuration's.
std::size_t reused_functions() noexcept;

}  // namespace hawser::test
