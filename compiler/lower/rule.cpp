// Rules and choices of a backend, in order.
#include "compiler/lower/entry_lowering.h"

namespace hawser::compiler {
namespace {

using abi::ActionId;

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
  const Label lines = blocks_.label();
  for (std::size_t at = 0; at < rules.size(); ++at) {
    const model::Rule& one = rules[at];
    const Label next = blocks_.label();
    if (redirect_lines > 0 && at == first_line) blocks_.place(lines);
    if (one.condition) condition(*one.condition, next);
    if (redirect_lines > 0 && one.action == ActionId::allow) {
      blocks_.jump(lines);
    } else {
      rule(one, ruleset);
    }
    blocks_.place(next);
  }
  blocks_.end(ir::ends(ir::End::next));
  blocks_.finish();
}

void EntryLowering::backend_rules(const std::vector<model::BackendRule>& rules) {
  for (const model::BackendRule& rule : rules) {
    const Label next = blocks_.label();
    if (rule.condition) condition(*rule.condition, next);
    if (rule.backend) {
      blocks_.end(ir::use_backend(ir::ProxyIndex(order_.index(*rule.backend))));
    } else {
      HAWSER_CHECK(rule.dynamic.has_value());
      blocks_.end(ir::use_backend_named(format(*rule.dynamic)));
    }
    blocks_.place(next);
  }
  blocks_.end(ir::ends(ir::End::next));
  blocks_.finish();
}

void EntryLowering::rule(const model::Rule& rule, model::Ruleset ruleset) {
  switch (rule.action) {
    case ActionId::accept:
    case ActionId::allow: blocks_.end(ir::ends(ir::End::stop)); return;
    case ActionId::reject:
    case ActionId::close:
    case ActionId::silent_drop: blocks_.end(ir::quit(rule.action)); return;
    case ActionId::set_src:
    case ActionId::set_src_port:
    case ActionId::set_dst:
    case ActionId::set_dst_port:
      HAWSER_CHECK(rule.sample.has_value());
      blocks_.push(ir::act(rule.action, blocks_.sample(expression(*rule.sample)), {}));
      return;
    case ActionId::deny:
    case ActionId::tarpit:
    case ActionId::return_: reply(rule, ruleset); return;
    case ActionId::redirect: redirect(rule); return;
    case ActionId::set_header:
    case ActionId::add_header:
      blocks_.push(ir::act(rule.action, format(rule.format), ir::FieldName{rule.name}));
      return;
    case ActionId::del_header: del_header(rule); return;
    case ActionId::set_var:
      HAWSER_CHECK(rule.sample.has_value());
      blocks_.push(ir::act(rule.action, blocks_.sample(expression(*rule.sample)), rule.variable));
      return;
    case ActionId::count_: break;
  }
  HAWSER_CHECK(rule.action < ActionId::count_);
}

void EntryLowering::del_header(const model::Rule& rule) {
  ir::Value which = ir::FieldName{rule.name};
  if (const abi::Match match = match_named(rule.method); match != abi::Match::string) {
    ir::PatternSet set;
    set.nameless = true;
    set.match = match;
    set.patterns.emplace_back().text = rule.name;
    which = module_.sets.add(std::move(set));
  }
  blocks_.push(ir::act(rule.action, {}, std::move(which)));
}

void EntryLowering::reply(const model::Rule& rule, model::Ruleset ruleset) {
  std::uint32_t index = deny_reply_index(config_, ruleset);
  if (rule.reply) {
    index = reply_index(config_, *rule.reply);
    const model::Reply& source = config_.replies[*rule.reply];
    for (const auto& [name, field] : source.fields) {
      blocks_.push(ir::with_register(ir::Op::reply_field, format(field)));
    }
    if (source.body_format) {
      blocks_.push(ir::with_register(ir::Op::reply_body, format(*source.body_format)));
    }
  }
  blocks_.end(ir::reply(rule.action, ir::ReplyIndex(index)));
}

void EntryLowering::redirect(const model::Rule& rule) {
  HAWSER_CHECK(rule.redirect.has_value());
  const model::Redirect& source = *rule.redirect;
  const ir::RegisterId location = format(source.target);
  ir::Redirect row;
  row.kind = source.kind;
  row.code = source.code;
  row.drop_query = source.drop_query;
  row.append_slash = source.append_slash;
  row.clear_cookie = source.clear_cookie;
  row.set_cookie = source.set_cookie;
  blocks_.end(ir::redirect(location, module_.redirects.add(std::move(row))));
}

}  // namespace hawser::compiler
