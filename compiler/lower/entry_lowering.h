// Lowers what one proxy does at one entry point into a function.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/module.h"
#include "compiler/lower/block_builder.h"
#include "compiler/plan/order.h"

namespace hawser::compiler {

class EntryLowering {
 public:
  EntryLowering(const model::Config& config, const ProxyOrder& order, ir::Module& module, ir::Function& function)
      : config_(config), order_(order), module_(module), function_(function), blocks_(function) {}

  // One of these, once. The last `redirect_lines` of the rules are those of `redirect` lines.
  void rules(const std::vector<model::Rule>& rules, model::Ruleset ruleset, std::size_t redirect_lines);
  void backend_rules(const std::vector<model::BackendRule>& rules);
  void log_line(const model::Format& format);

 private:
  using Label = BlockBuilder::Label;

  // condition.cpp: goes on where the condition holds, and to `otherwise` where it does not. At a point where data may
  // still come, an answer that is not known yet waits, and begins again.
  void condition(const model::Condition& condition, Label otherwise);
  void any_of(const std::vector<std::vector<model::Term>>& terms);
  void all_of(const std::vector<model::Term>& terms);
  void acl(const model::Acl& acl);
  void test(const model::Test& test);
  bool waits() const noexcept { return function_.waits(); }

  // expression.cpp
  ir::ExpressionId expression(const model::SampleExpr& sample);
  ir::RegisterId format(const model::Format& format);
  void format_parts(const model::Format& format, std::uint16_t flags, bool separators);

  // rule.cpp
  void rule(const model::Rule& rule, model::Ruleset ruleset);
  void del_header(const model::Rule& rule);
  void reply(const model::Rule& rule, model::Ruleset ruleset);
  void redirect(const model::Rule& rule);

  const model::Config& config_;
  const ProxyOrder& order_;
  ir::Module& module_;
  ir::Function& function_;
  BlockBuilder blocks_;
};

}  // namespace hawser::compiler
