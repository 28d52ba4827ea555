// Writes a Program: its tables, and functions, equal ones once.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/finalise/draft.h"
#include "compiler/finalise/finalise.h"

namespace hawser::compiler {

class ProgramWriter {
 public:
  ProgramWriter(const ir::Module& module, const FinaliseOptions& options) : module_(module), options_(options) {}

  abi::Image write();

  const ir::Module& module() const noexcept { return module_; }
  // The index of a new one.
  std::uint32_t choice(const std::vector<abi::ChoiceCase>& cases);
  // Values as constants, for the bindings.
  abi::Constant constant(const ir::Value& value);
  abi::Constant arguments(abi::FetchId fetch, const std::vector<model::Arg>& args);
  abi::Constant arguments(const std::vector<model::Arg>& args) { return arguments(args, false); }

 private:
  abi::Rows<abi::PatternReference> add_references();
  void add_sets();
  abi::Rows<abi::Pattern> add_patterns(const std::vector<model::Pattern>& source);
  void add_redirects();
  abi::Entry entry(const ir::Function& function);
  std::uint32_t function(const Draft& draft);
  abi::Constant arguments(const std::vector<model::Arg>& args, bool field_name);
  abi::Constant argument(const model::Arg& arg, bool field_name);

  const ir::Module& module_;
  FinaliseOptions options_;
  abi::ImageBuilder image_;
  std::vector<abi::Step> steps_;
  std::vector<abi::Function> functions_;
  std::vector<abi::PatternSet> sets_;
  std::vector<abi::Redirect> redirects_;
  std::vector<abi::Choice> choices_;
  std::unordered_map<std::string, std::uint32_t> shared_;  // functions by the bytes of their steps
};

}  // namespace hawser::compiler
