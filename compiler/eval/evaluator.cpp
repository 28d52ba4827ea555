#include "compiler/eval/evaluator.h"

#include "compiler/eval/conditions.h"
#include "compiler/eval/expressions.h"
#include "compiler/plan/order.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"

namespace hawser::eval {
namespace {

using abi::ActionId;
using abi::Truth;
using exec::Outcome;

// The rules of one entry, one after the other, until one ends it.
class Run {
 public:
  Run(const Scope& scope, Trace* trace) : scope_(scope), trace_(trace) {}

  // What is allowed may still be redirected by a `redirect` line: these stand at the end.
  Evaluation rules(const std::vector<model::Rule>& rules, model::Ruleset ruleset, std::size_t redirect_lines,
                   std::size_t first) {
    const std::size_t first_line = rules.size() - redirect_lines;
    for (std::size_t at = first; at < rules.size(); ++at) {
      const model::Rule& rule = rules[at];
      result_.rule = at;
      TracedRule* const note = begin(rule.condition);
      if (note != nullptr) note->rule = &rule;
      const Truth truth = condition(rule.condition, note);
      if (truth == Truth::unknown) return ended(Outcome::Kind::need);
      if (truth == Truth::no) continue;
      if (!carry_out(rule, ruleset, note)) continue;
      if (rule.action != ActionId::allow || redirect_lines == 0) return std::move(result_);
      result_ = {};
      at = first_line - 1;
    }
    return ended(Outcome::Kind::next);
  }

  // The first line that applies chooses, also one that names no backend that there is.
  Evaluation choices(const std::vector<model::BackendRule>& rules, std::size_t first) {
    for (std::size_t at = first; at < rules.size(); ++at) {
      const model::BackendRule& rule = rules[at];
      result_.rule = at;
      TracedRule* const note = begin(rule.condition);
      if (note != nullptr) note->choice = &rule;
      if (condition(rule.condition, note) != Truth::yes) continue;
      result_.backend = rule.dynamic ? backend_named(noted(note, text_of(scope_, *rule.dynamic))) : rule.backend;
      break;
    }
    return ended(Outcome::Kind::next);
  }

 private:
  Evaluation ended(Outcome::Kind kind) {
    result_.kind = kind;
    return std::move(result_);
  }

  TracedRule* begin(const std::optional<model::Condition>& condition) {
    if (trace_ == nullptr) return nullptr;
    TracedRule& note = trace_->rules.emplace_back();
    note.condition = condition ? &*condition : nullptr;
    return &note;
  }

  Truth condition(const std::optional<model::Condition>& condition, TracedRule* note) {
    const Truth truth = condition ? holds(scope_, *condition, note == nullptr ? nullptr : &note->terms) : Truth::yes;
    if (note != nullptr) note->applies = truth == Truth::yes;
    return truth;
  }

  static const std::string& noted(TracedRule* note, std::string&& value) { return noted(note, value); }
  static const std::string& noted(TracedRule* note, const std::string& value) {
    if (note != nullptr) {
      note->value = value;
      note->has_value = true;
    }
    return value;
  }

  // True when this ends the ruleset.
  bool carry_out(const model::Rule& rule, model::Ruleset ruleset, TracedRule* note) {
    result_.action = rule.action;
    switch (rule.action) {
      case ActionId::accept:
      case ActionId::allow: result_.kind = Outcome::Kind::stop; return true;
      case ActionId::reject:
      case ActionId::close:
      case ActionId::silent_drop: result_.kind = Outcome::Kind::close; return true;
      case ActionId::set_src:
      case ActionId::set_src_port:
      case ActionId::set_dst:
      case ActionId::set_dst_port: set_address(rule, note); return false;
      case ActionId::deny:
      case ActionId::tarpit:
      case ActionId::return_: answer(rule, ruleset); return true;
      case ActionId::redirect: redirect(*rule.redirect, note); return true;
      case ActionId::set_header:
      case ActionId::add_header: write_field(rule, note); return false;
      case ActionId::del_header: delete_fields(rule); return false;
      case ActionId::set_var: set_variable(rule, note); return false;
      case ActionId::count_: break;
    }
    HAWSER_CHECK(rule.action < ActionId::count_);
    return false;
  }

  void write_field(const model::Rule& rule, TracedRule* note) {
    const std::string value = text_of(scope_, rule.format);
    noted(note, value);
    http::Head* const head = scope_.edited_head();
    if (head == nullptr) return;
    if (rule.action == ActionId::set_header) head->remove(rule.name);
    head->add(scope_.arena(), rule.name, value);
  }

  void delete_fields(const model::Rule& rule) {
    http::Head* const head = scope_.edited_head();
    if (head == nullptr) return;
    for (http::Field& field : head->fields) {
      if (is_deleted(rule, field.name)) field.removed = true;
    }
  }

  static bool is_deleted(const model::Rule& rule, std::string_view name) {
    if (rule.method == "beg") return kernels::match_text(name, rule.name, abi::Match::begin, false);
    if (rule.method == "end") return kernels::match_text(name, rule.name, abi::Match::end, false);
    if (rule.method == "sub") return kernels::match_text(name, rule.name, abi::Match::substring, false);
    if (rule.method != "reg") return name == rule.name;
    const auto expression = kernels::Regex::compile(rule.name, {.ignore_case = false, .captures = true});
    return expression.ok() && expression->matches(name);
  }

  // An expression without a value leaves the variable as it is.
  void set_variable(const model::Rule& rule, TracedRule* note) {
    const abi::Sample value = value_of(scope_, *rule.sample);
    if (value.is_absent()) return;
    exec::set_variable(scope_.subject, rule.variable.scope, rule.variable.name, value);
    noted(note, value);
  }

  void set_address(const model::Rule& rule, TracedRule* note) {
    const abi::Sample value = value_of(scope_, *rule.sample);
    static const abi::Constant kNothing;
    const exec::ActionCall call{scope_.subject, {}, kNothing, value, nullptr, false};
    switch (rule.action) {
      case ActionId::set_src: act_set_src(call); break;
      case ActionId::set_src_port: act_set_src_port(call); break;
      case ActionId::set_dst: act_set_dst(call); break;
      default: act_set_dst_port(call); break;
    }
    noted(note, value);
  }

  void noted(TracedRule* note, const abi::Sample& value) {
    abi::Sample text = value;
    kernels::cast(text, abi::SampleType::string, scope_.arena());
    noted(note, std::string(text.is_absent() ? std::string_view() : text.view()));
  }

  void answer(const model::Rule& rule, model::Ruleset ruleset) {
    result_.kind = Outcome::Kind::reply;
    if (!rule.reply) {
      result_.reply = compiler::deny_reply_index(scope_.config, ruleset);
      return;
    }
    result_.reply = compiler::reply_index(scope_.config, *rule.reply);
    const model::Reply& reply = scope_.config.replies[*rule.reply];
    for (const auto& [name, format] : reply.fields) result_.field_values.push_back(text_of(scope_, format));
    if (reply.body_format) result_.body = text_of(scope_, *reply.body_format);
  }

  void redirect(const model::Redirect& redirect, TracedRule* note) {
    result_.kind = Outcome::Kind::reply;
    result_.redirect = &redirect;
    const std::string target = text_of(scope_, redirect.target);
    abi::Redirect row;
    row.kind = redirect.kind;
    row.drop_query = redirect.drop_query;
    row.append_slash = redirect.append_slash;
    result_.location = exec::redirect_location(row, target, scope_.subject);
    noted(note, result_.location);
  }

  std::optional<model::ProxyId> backend_named(std::string_view name) const {
    for (std::size_t at = 0; at < scope_.config.proxies.size(); ++at) {
      const model::ProxyId id = scope_.config.proxies.id_at(at);
      if (scope_.config.proxies[id].backend() && scope_.config.proxies[id].name == name) return id;
    }
    return std::nullopt;
  }

  const Scope& scope_;
  Trace* trace_;
  Evaluation result_;
};

}  // namespace

Evaluation Evaluator::run(model::ProxyId id, abi::EntryPoint point, const exec::Subject& subject,
                          exec::WorkerContext& worker, Trace* trace, std::size_t first) const {
  const model::Proxy& proxy = config_.proxies[id];
  const Scope scope{config_, patterns_, subject, worker, point};
  Run run(scope, trace);
  const auto rules = [&](model::Ruleset which) {
    const std::size_t redirect_lines = which == model::Ruleset::http_request ? proxy.redirect_lines : 0;
    return run.rules(proxy.rules[static_cast<std::size_t>(which)], which, redirect_lines, first);
  };
  switch (point) {
    case abi::EntryPoint::connection:
    case abi::EntryPoint::session:
    case abi::EntryPoint::content:
    case abi::EntryPoint::tcp_response:
    case abi::EntryPoint::http_request:
    case abi::EntryPoint::http_response: return rules(model::ruleset_at(point));
    case abi::EntryPoint::choose_backend:
      return proxy.frontend() ? run.choices(proxy.backend_rules, first) : Evaluation();
    case abi::EntryPoint::log: {
      Evaluation result;
      const bool logs =
          proxy.frontend() && proxy.log_style.is_set() && *proxy.log_style != model::Proxy::LogStyle::none;
      if (logs) result.line = line_of(scope, *proxy.log_format);
      return result;
    }
    default: return {};  // the model has no rules there
  }
}

}  // namespace hawser::eval
