// Writes a Program: a function for each proxy and entry point, equal ones once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/lower/function_builder.h"
#include "compiler/lower/lower.h"
#include "compiler/plan/order.h"

namespace hawser::compiler {

class ProgramWriter {
 public:
  ProgramWriter(const model::Config& config, const LowerOptions& options)
      : config_(config), options_(options), order_(config) {}

  abi::Image write();

  // What the lowering of one function needs of the whole.
  const model::Config& config() const noexcept { return config_; }
  const ProxyOrder& order() const noexcept { return order_; }
  abi::Text text(std::string_view text) { return image_.text(text); }
  abi::Rows<abi::Constant> rows(const std::vector<abi::Constant>& constants) { return image_.rows(constants); }
  // Both return the index of their new row.
  std::uint32_t add_set(const abi::PatternSet& set);
  std::uint32_t add_redirect(const abi::Redirect& redirect);
  abi::Rows<abi::Pattern> patterns(const std::vector<abi::Pattern>& rows) { return image_.rows(rows); }

 private:
  abi::ProxyEntries entries(const model::Proxy& proxy);
  abi::Entry entry(FunctionBuilder& function);
  std::uint32_t function(FunctionBuilder& function);
  void add_sets();

  const model::Config& config_;
  LowerOptions options_;
  ProxyOrder order_;
  abi::ImageBuilder image_;
  std::vector<abi::Step> steps_;
  std::vector<abi::Function> functions_;
  std::vector<abi::PatternSet> sets_;
  std::vector<abi::Redirect> redirects_;
  std::map<std::string, std::uint32_t> shared_;  // functions by the bytes of their steps
};

// Lowers the parts of one entry into a function.
class EntryLowering {
 public:
  EntryLowering(ProgramWriter& program, FunctionBuilder& function, abi::EntryPoint point)
      : program_(program), function_(function), point_(point) {}

  // The last `redirect_lines` of the rules are those of `redirect` lines.
  void rules(const std::vector<model::Rule>& rules, model::Ruleset ruleset, std::size_t redirect_lines);
  void backend_rules(const std::vector<model::BackendRule>& rules);
  void log_line(const model::Format& format);

  // condition.cpp: goes on where the condition holds, and to `otherwise` where it does not. At a point where data may
  // still come, an answer that is not known yet waits, and begins again.
  void condition(const model::Condition& condition, FunctionBuilder::Label otherwise);

 private:
  using Label = FunctionBuilder::Label;
  using Register = FunctionBuilder::Register;

  bool waits() const noexcept { return point_ == abi::EntryPoint::content || point_ == abi::EntryPoint::tcp_response; }
  bool in_response() const noexcept;

  void any_of(const std::vector<std::vector<model::Term>>& terms);
  void all_of(const std::vector<model::Term>& terms);
  void acl(const model::Acl& acl);
  void test(const model::Test& test);

  // expression.cpp
  void sample(const model::SampleExpr& sample, Register reg);
  std::uint32_t fetch_arguments(const model::SampleExpr& sample);
  std::uint32_t arguments(const std::vector<model::Arg>& args, bool field_name);
  abi::Constant argument(const model::Arg& arg, bool field_name);
  void converters(const model::SampleExpr& sample, Register reg);
  void format(const model::Format& format, Register reg);
  void format_parts(const model::Format& format, std::uint16_t flags, bool separators);
  abi::Constant text_constant(std::string_view text);

  // rule.cpp
  void rule(const model::Rule& rule, model::Ruleset ruleset);
  void field_action(const model::Rule& rule);
  void del_header(const model::Rule& rule);
  void set_var(const model::Rule& rule);
  void reply(const model::Rule& rule, model::Ruleset ruleset);
  void redirect(const model::Rule& rule);
  std::uint32_t index_constant(abi::Constant::Kind kind, std::uint32_t index);

  ProgramWriter& program_;
  FunctionBuilder& function_;
  abi::EntryPoint point_;
};

}  // namespace hawser::compiler
