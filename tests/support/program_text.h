// Writes a Program by hand for tests of the engine: one function, one proxy, one entry point. More proxies may have the same
// function with other bindings.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/abi/program.h"
#include "runtime/abi/rows.h"

namespace hawser::test {

class ProgramText {
 public:
  using Constant = abi::Constant;

  abi::ImageBuilder image;
  std::vector<abi::Step> steps;
  std::vector<Constant> constants;
  std::vector<std::vector<Constant>> further_bindings;  // of one proxy more each
  std::vector<abi::PatternSet> sets;
  std::vector<abi::Redirect> redirects;
  std::vector<abi::Choice> choices;
  std::uint16_t registers = 4;
  std::uint16_t selectors = 0;
  std::uint32_t replies = 0;
  abi::EntryPoint point = abi::EntryPoint::http_request;

  ProgramText& step(abi::Op op, std::uint16_t reg = 0, std::uint16_t a = 0, std::uint32_t b = abi::kNoConstant,
                    std::uint32_t target = 0, std::uint8_t flags = 0) {
    steps.push_back({op, flags, reg, a, 0, b, target});
    return *this;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(steps.size()); }

  std::uint32_t constant(Constant value) {
    constants.push_back(value);
    return static_cast<std::uint32_t>(constants.size() - 1);
  }
  Constant text_constant(std::string_view text, Constant::Kind kind = Constant::Kind::text) {
    Constant constant;
    constant.kind = kind;
    constant.text = image.text(text);
    return constant;
  }
  Constant number_constant(std::int64_t number) {
    Constant constant;
    constant.kind = Constant::Kind::integer;
    constant.integer = number;
    return constant;
  }
  Constant index_constant(Constant::Kind kind, std::uint32_t index) {
    Constant constant;
    constant.kind = kind;
    constant.index = index;
    return constant;
  }
  Constant variable_constant(abi::VariableScope scope, std::string_view name) {
    Constant constant = text_constant(name, Constant::Kind::variable);
    constant.scope = scope;
    return constant;
  }
  std::uint32_t text(std::string_view value) { return constant(text_constant(value)); }
  std::uint32_t field(std::string_view name) { return constant(text_constant(name, Constant::Kind::field)); }
  std::uint32_t variable(abi::VariableScope scope, std::string_view name) {
    return constant(variable_constant(scope, name));
  }
  // Of a fetch or converter; as many as its row has params.
  std::uint32_t arguments(std::initializer_list<Constant> values) {
    Constant constant;
    constant.kind = Constant::Kind::arguments;
    constant.arguments = image.rows(std::vector<Constant>(values));
    return this->constant(constant);
  }
  std::uint32_t set(abi::Match match, std::initializer_list<std::string_view> patterns, bool ignore_case = false) {
    std::vector<abi::Pattern> rows;
    for (const std::string_view text : patterns) {
      abi::Pattern pattern;
      pattern.text = image.text(text);
      rows.push_back(pattern);
    }
    abi::PatternSet set;
    set.id = static_cast<std::uint32_t>(sets.size());
    set.match = match;
    set.ignore_case = ignore_case;
    set.patterns = image.rows(rows);
    sets.push_back(set);
    return constant(index_constant(Constant::Kind::set, set.id));
  }
  // Of tests of sets that are there.
  std::uint32_t choice(const std::vector<abi::ChoiceCase>& cases) {
    choices.push_back({image.rows(cases)});
    return constant(index_constant(Constant::Kind::choice, static_cast<std::uint32_t>(choices.size() - 1)));
  }

  abi::Image finish() {
    abi::Function function;
    function.steps = here();
    function.registers = registers;
    function.selectors = selectors;
    function.constants = static_cast<std::uint32_t>(constants.size());
    for (const abi::Step& step : steps) {
      if (step.op == abi::Op::test_suspend || step.op == abi::Op::need) ++function.resume_points;
    }
    abi::ProxyEntries proxy;
    proxy.at[static_cast<std::size_t>(point)].function = 0;
    proxy.at[static_cast<std::size_t>(point)].bindings = image.rows(constants);
    std::vector<abi::ProxyEntries> proxies{proxy};
    for (const std::vector<Constant>& one : further_bindings) {
      proxies.push_back(proxy);
      proxies.back().at[static_cast<std::size_t>(point)].bindings = image.rows(one);
    }
    abi::Program program;
    program.steps = image.rows(steps);
    program.functions = image.rows(std::vector<abi::Function>{function});
    program.proxies = image.rows(proxies);
    program.sets = image.rows(sets);
    program.redirects = image.rows(redirects);
    program.choices = image.rows(choices);
    program.registers_max = registers;
    program.selectors_max = selectors;
    program.replies = replies;
    return image.finish(program);
  }
};

}  // namespace hawser::test
