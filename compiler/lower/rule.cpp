// Rules and choices of a backend, in order.
#include "compiler/lower/writer.h"

namespace hawser::compiler {
namespace {

using abi::ActionId;
using abi::Constant;
using abi::Op;

// A set that no command can name: it is part of an action.
constexpr std::uint32_t kNamelessSet = 0xffff'ffff;

abi::Match match_named(std::string_view method) {
  if (method == "beg") return abi::Match::begin;
  if (method == "end") return abi::Match::end;
  if (method == "sub") return abi::Match::substring;
  if (method == "reg") return abi::Match::regex;
  return abi::Match::string;
}

}  // namespace

// What is allowed may still be redirected by a `redirect` line.
void EntryLowering::rules(const std::vector<model::Rule>& rules, model::Ruleset ruleset, std::size_t redirect_lines) {
  const std::size_t first_line = rules.size() - redirect_lines;
  const Label lines = function_.label();
  for (std::size_t at = 0; at < rules.size(); ++at) {
    const model::Rule& one = rules[at];
    const Label next = function_.label();
    if (redirect_lines > 0 && at == first_line) function_.place(lines);
    if (one.condition) condition(*one.condition, next);
    if (redirect_lines > 0 && one.action == ActionId::allow) {
      function_.jump(Op::jump, {}, lines);
    } else {
      rule(one, ruleset);
    }
    function_.place(next);
  }
  function_.step(Op::next);
}

void EntryLowering::backend_rules(const std::vector<model::BackendRule>& rules) {
  for (const model::BackendRule& rule : rules) {
    const Label next = function_.label();
    if (rule.condition) condition(*rule.condition, next);
    if (rule.backend) {
      function_.step(Op::use_backend,
                     {.b = index_constant(Constant::Kind::backend, program_.order().index(*rule.backend))});
    } else {
      HAWSER_CHECK(rule.dynamic.has_value());
      const TakenRegister name(function_);
      format(*rule.dynamic, name);
      function_.step(Op::use_backend_named, {.reg = name});
    }
    function_.place(next);
  }
  function_.step(Op::next);
}

void EntryLowering::rule(const model::Rule& rule, model::Ruleset ruleset) {
  switch (rule.action) {
    case ActionId::allow: function_.step(Op::stop); return;
    case ActionId::deny:
    case ActionId::return_: reply(rule, ruleset); return;
    case ActionId::redirect: redirect(rule); return;
    case ActionId::set_header:
    case ActionId::add_header: field_action(rule); return;
    case ActionId::del_header: del_header(rule); return;
    case ActionId::set_var: set_var(rule); return;
    case ActionId::count_: break;
  }
  HAWSER_CHECK(rule.action < ActionId::count_);
}

void EntryLowering::field_action(const model::Rule& rule) {
  const TakenRegister value(function_);
  format(rule.format, value);
  Constant name = text_constant(rule.name);
  name.kind = Constant::Kind::field;
  const std::uint8_t flags = in_response() ? abi::fetch_response : 0;
  function_.step(
      Op::act,
      {.reg = value, .a = static_cast<std::uint16_t>(rule.action), .b = function_.constant(name), .flags = flags});
}

void EntryLowering::del_header(const model::Rule& rule) {
  const TakenRegister nothing(function_);
  Constant which = text_constant(rule.name);
  which.kind = Constant::Kind::field;
  if (const abi::Match match = match_named(rule.method); match != abi::Match::string) {
    abi::Pattern pattern;
    pattern.text = which.text;
    abi::PatternSet set;
    set.id = kNamelessSet;
    set.match = match;
    set.captures = true;
    set.patterns = program_.patterns({pattern});
    which = Constant();
    which.kind = Constant::Kind::set;
    which.index = program_.add_set(set);
  }
  const std::uint8_t flags = in_response() ? abi::fetch_response : 0;
  function_.step(
      Op::act,
      {.reg = nothing, .a = static_cast<std::uint16_t>(rule.action), .b = function_.constant(which), .flags = flags});
}

void EntryLowering::set_var(const model::Rule& rule) {
  const TakenRegister value(function_);
  HAWSER_CHECK(rule.sample.has_value());
  sample(*rule.sample, value);
  Constant name = text_constant(rule.variable.name);
  name.kind = Constant::Kind::variable;
  name.scope = rule.variable.scope;
  function_.step(Op::act, {.reg = value, .a = static_cast<std::uint16_t>(rule.action), .b = function_.constant(name)});
}

void EntryLowering::reply(const model::Rule& rule, model::Ruleset ruleset) {
  std::uint32_t index = deny_reply_index(program_.config(), ruleset);
  if (rule.reply) {
    index = reply_index(program_.config(), *rule.reply);
    const model::Reply& source = program_.config().replies[*rule.reply];
    const TakenRegister value(function_);
    for (const auto& [name, field] : source.fields) {
      format(field, value);
      function_.step(Op::reply_field, {.reg = value});
    }
    if (source.body_format) {
      format(*source.body_format, value);
      function_.step(Op::reply_body, {.reg = value});
    }
  }
  function_.step(Op::reply,
                 {.a = static_cast<std::uint16_t>(rule.action), .b = index_constant(Constant::Kind::reply, index)});
}

void EntryLowering::redirect(const model::Rule& rule) {
  HAWSER_CHECK(rule.redirect.has_value());
  const model::Redirect& source = *rule.redirect;
  const TakenRegister target(function_);
  format(source.target, target);
  abi::Redirect row;
  row.code = source.code;
  row.drop_query = source.drop_query;
  row.append_slash = source.append_slash;
  row.clear_cookie = source.clear_cookie;
  row.set_cookie = program_.text(source.set_cookie);
  row.kind = source.kind;
  function_.step(Op::redirect,
                 {.reg = target, .b = index_constant(Constant::Kind::redirect, program_.add_redirect(row))});
}

std::uint32_t EntryLowering::index_constant(Constant::Kind kind, std::uint32_t index) {
  Constant constant;
  constant.kind = kind;
  constant.index = index;
  return function_.constant(constant);
}

}  // namespace hawser::compiler
