// From a walk's traces to what is said of them.
#include "compiler/eval/explanation.h"

#include <fmt/format.h>

#include "compiler/model/dump_expression.h"

namespace hawser::eval {
namespace {

using abi::ActionId;

std::string_view kind_name(const model::Proxy& proxy) {
  switch (proxy.kind) {
    case model::Proxy::Kind::defaults: return "defaults";
    case model::Proxy::Kind::frontend: return "frontend";
    case model::Proxy::Kind::backend: return "backend";
    case model::Proxy::Kind::listen: return "listen";
  }
  return "?";
}

std::string source_text(const grammar::Sources& sources, const grammar::Span& span) {
  if (!span.valid()) return {};
  const std::string_view line = sources.line(span.file, span.line);
  if (span.column >= line.size()) return {};
  return std::string(line.substr(span.column, span.length));
}

class Explainer {
 public:
  Explainer(const model::Config& config, const grammar::Sources& sources) : config_(config), sources_(sources) {}

  Explanation::Ruleset ruleset(const Visit& visit) const {
    const model::Proxy& proxy = config_.proxies[visit.proxy];
    Explanation::Ruleset set;
    set.point = abi::name_of(visit.point);
    set.proxy = proxy.name;
    set.title = fmt::format("{} of {} {}", title(visit.point), kind_name(proxy), proxy.name);
    for (const TracedRule& traced : visit.trace.rules) set.rules.push_back(rule(traced));
    set.not_reached = rules_of(proxy, visit.point) - visit.trace.rules.size();
    return set;
  }

 private:
  static std::string_view title(abi::EntryPoint point) {
    switch (point) {
      case abi::EntryPoint::http_response: return "http-response rules";
      case abi::EntryPoint::choose_backend: return "use_backend lines";
      case abi::EntryPoint::connection: return "tcp-request connection rules";
      case abi::EntryPoint::session: return "tcp-request session rules";
      case abi::EntryPoint::content: return "tcp-request content rules";
      case abi::EntryPoint::tcp_response: return "tcp-response content rules";
      default: return "http-request rules";
    }
  }

  static std::size_t rules_of(const model::Proxy& proxy, abi::EntryPoint point) {
    if (point == abi::EntryPoint::choose_backend) return proxy.backend_rules.size();
    return proxy.rules[static_cast<std::size_t>(model::ruleset_at(point))].size();
  }

  Explanation::Rule rule(const TracedRule& traced) const {
    const grammar::Span span = traced.rule != nullptr ? traced.rule->span : traced.choice->span;
    Explanation::Rule rule;
    rule.text = line_at(sources_, span);
    rule.place = place_of(sources_, span);
    rule.applies = traced.applies;
    if (traced.condition != nullptr) {
      rule.unless = traced.condition->unless;
      rule.terms = terms(*traced.condition, traced.terms);
    }
    if (traced.applies)
      rule.effect = traced.rule != nullptr ? effect(*traced.rule, traced) : effect(*traced.choice, traced);
    return rule;
  }

  // All terms of the condition; the traced ones are some of them, in the same order.
  std::vector<Explanation::Term> terms(const model::Condition& condition, const std::vector<TracedTerm>& traced) const {
    std::vector<Explanation::Term> terms;
    std::size_t at = 0;
    for (std::size_t group = 0; group < condition.any_of.size(); ++group) {
      for (const model::Term& one : condition.any_of[group]) {
        Explanation::Term& term = terms.emplace_back();
        term.text = text(one);
        term.group = group;
        term.reached = at < traced.size() && traced[at].term == &one;
        if (!term.reached) continue;
        term.truth = traced[at].truth;
        for (const TracedTest& seen : traced[at].tests) term.tests.push_back(test(seen));
        ++at;
      }
    }
    return terms;
  }

  std::string text(const model::Term& term) const {
    const model::Acl& acl = config_.acls[term.acl];
    if (!acl.name.empty()) return (term.negated ? "!" : "") + acl.name;
    return source_text(sources_, term.span);
  }

  Explanation::Test test(const TracedTest& seen) const {
    Explanation::Test test;
    test.expression = seen.test->sample.text;
    test.method = abi::to_string(seen.test->match);
    test.place = place_of(sources_, seen.test->span);
    test.truth = seen.truth;
    if (seen.test->set.valid()) test.patterns = config_.sets[seen.test->set].patterns.size();
    for (std::size_t at = 0; at < seen.values.size(); ++at) {
      const TracedValue& value = seen.values[at];
      Explanation::Value& shown = test.values.emplace_back();
      shown.present = value.type != abi::SampleType::absent;
      shown.type = abi::to_string(value.type);
      shown.text = value.text;
      // The test ends at the value that matches.
      shown.matched = seen.truth == abi::Truth::yes && at + 1 == seen.values.size();
      if (value.pattern == nullptr) continue;
      shown.pattern = value.pattern->text;
      shown.pattern_place = pattern_place(*value.pattern);
    }
    return test;
  }

  std::string pattern_place(const model::Pattern& pattern) const {
    if (pattern.line == 0) return place_of(sources_, pattern.span);
    return fmt::format("{}:{}", source_text(sources_, pattern.span), pattern.line);
  }

  std::string effect(const model::Rule& rule, const TracedRule& traced) const {
    switch (rule.action) {
      case ActionId::set_header: return fmt::format("sets {}: {}", rule.name, traced.value);
      case ActionId::add_header: return fmt::format("adds {}: {}", rule.name, traced.value);
      case ActionId::del_header:
        if (rule.method == "str") return fmt::format("deletes {}", rule.name);
        return fmt::format("deletes fields whose names match \"{}\" (-m {})", rule.name, rule.method);
      case ActionId::set_var:
        return traced.has_value ? fmt::format("{} is now \"{}\"", model::text_of(rule.variable), traced.value)
                                : fmt::format("{} stays as it is: there is no value", model::text_of(rule.variable));
      case ActionId::accept:
      case ActionId::allow: return "ends these rules";
      case ActionId::reject: return "closes the connection";
      case ActionId::close: return "closes the server's connection";
      case ActionId::silent_drop: return "closes the connection without telling the client";
      case ActionId::set_src:
      case ActionId::set_src_port:
      case ActionId::set_dst:
      case ActionId::set_dst_port: return fmt::format("{}: {}", abi::name_of(rule.action), traced.value);
      case ActionId::redirect:
        return fmt::format("answers {}, to {}", rule.redirect ? rule.redirect->code : 302, traced.value);
      case ActionId::deny:
      case ActionId::tarpit:
      case ActionId::return_: {
        const bool waits = rule.action == ActionId::tarpit;
        const std::uint16_t status = rule.reply ? config_.replies[*rule.reply].status : waits ? 500 : 403;
        return fmt::format("answers {}{}", status, waits ? " after timeout tarpit" : "");
      }
      case ActionId::count_: break;
    }
    return {};
  }

  std::string effect(const model::BackendRule& rule, const TracedRule& traced) const {
    if (rule.backend) return fmt::format("chooses {}", config_.proxies[*rule.backend].name);
    for (const model::Proxy& proxy : config_.proxies) {
      if (proxy.backend() && proxy.name == traced.value) return fmt::format("chooses {}", traced.value);
    }
    return fmt::format("names \"{}\": there is no such backend", traced.value);
  }

  const model::Config& config_;
  const grammar::Sources& sources_;
};

}  // namespace

std::string place_of(const grammar::Sources& sources, const grammar::Span& span) {
  return span.valid() ? fmt::format("{}:{}", sources.name(span.file), span.line) : std::string();
}

std::string line_at(const grammar::Sources& sources, const grammar::Span& span) {
  if (!span.valid()) return {};
  std::string_view line = sources.line(span.file, span.line);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  line.remove_prefix(first);
  return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
}

std::vector<Explanation::Ruleset> explained(const Walk& walk, const model::Config& config,
                                            const grammar::Sources& sources) {
  const Explainer explainer(config, sources);
  std::vector<Explanation::Ruleset> sets;
  for (const Visit& visit : walk.visits) {
    Explanation::Ruleset set = explainer.ruleset(visit);
    if (!set.rules.empty()) sets.push_back(std::move(set));
  }
  return sets;
}

Explanation::Proxy explained(const model::Proxy& proxy, const grammar::Sources& sources) {
  return {.kind = std::string(kind_name(proxy)), .name = proxy.name, .place = place_of(sources, proxy.span), .why = {}};
}

}  // namespace hawser::eval
