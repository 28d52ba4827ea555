// Whether a Program can be run without going astray.
//
// Shown for each entry: steps stay within their function and it ends; registers and constants exist and constants are
// of the kind that the step wants; loops end (verify_loops.cpp); what a selector finds is one of its cases.
#include <vector>

#include "runtime/abi/program.h"
#include "runtime/abi/rows.h"
#include "runtime/abi/verify.h"

namespace hawser::abi {
namespace {

// Whether no run goes on with the step behind this one.
bool edits_address(ActionId action) noexcept {
  return action == ActionId::set_src || action == ActionId::set_src_port || action == ActionId::set_dst ||
         action == ActionId::set_dst_port;
}

bool may_be_last(Op op) noexcept { return op == Op::jump || (ends(op) && op != Op::test_suspend); }

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const ImageView& image) : image_(image), check_(image) {}

  std::string run() {
    program_ = check_.root<Program>();
    if (program_ == nullptr || !tables()) return check_.error();
    for (std::size_t at = 0; at < functions_.size() && check_.ok(); ++at) function(at);
    for (const PatternReference& reference : references_) {
      if (!pattern_reference(reference)) return check_.error();
    }
    for (const PatternSet& set : sets_) {
      if (!check_.ok() || !pattern_set(set)) return check_.error();
    }
    for (const Redirect& row : redirects_) {
      if (!redirect(row)) return check_.error();
    }
    for (const Choice& row : choices_) {
      if (!choice(row)) return check_.error();
    }
    for (const ProxyEntries& proxy : proxies_) {
      for (const Entry& entry_of_point : proxy.at) {
        if (!entry(entry_of_point)) return check_.error();
      }
    }
    return check_.error();
  }

 private:
  bool tables();
  bool function(std::size_t index);
  bool step(const Function& function, std::uint32_t at, const Step& step);
  bool entry(const Entry& entry);
  bool cases(const Step& step, std::span<const Constant> constants, std::uint32_t count);
  bool constant(const Step& step, const Constant& constant);
  bool arguments(const Constant& constant, std::span<const Param> params, std::string_view name);
  bool argument(const Constant& constant, const Param& param, std::string_view name);
  bool pattern_reference(const PatternReference& reference);
  bool pattern_set(const PatternSet& set);
  bool redirect(const Redirect& redirect);
  bool choice(const Choice& choice);

  const ImageView& image_;
  ImageChecker check_;
  const Program* program_ = nullptr;
  std::span<const Step> steps_;
  std::span<const Function> functions_;
  std::span<const ProxyEntries> proxies_;
  std::span<const PatternReference> references_;
  std::span<const PatternSet> sets_;
  std::span<const Redirect> redirects_;
  std::span<const Choice> choices_;
};

bool ProgramVerifier::tables() {
  if (!check_.inside(program_->steps, "steps") || !check_.inside(program_->functions, "functions") ||
      !check_.inside(program_->proxies, "proxies") || !check_.inside(program_->sets, "sets") ||
      !check_.inside(program_->references, "references") || !check_.inside(program_->redirects, "redirects") ||
      !check_.inside(program_->choices, "choices")) {
    return false;
  }
  steps_ = image_.rows(program_->steps);
  functions_ = image_.rows(program_->functions);
  proxies_ = image_.rows(program_->proxies);
  sets_ = image_.rows(program_->sets);
  references_ = image_.rows(program_->references);
  redirects_ = image_.rows(program_->redirects);
  choices_ = image_.rows(program_->choices);
  return check_.expect(program_->registers_max <= 0xffff, "{} registers", program_->registers_max) &&
         check_.expect(program_->selectors_max <= 0xffff, "{} selectors", program_->selectors_max);
}

bool ProgramVerifier::function(std::size_t index) {
  const Function& function = functions_[index];
  if (!check_.expect(std::uint64_t{function.first_step} + function.steps <= steps_.size() && function.steps > 0,
                     "function {} has steps that are none", index) ||
      !check_.expect(function.registers <= program_->registers_max, "function {} has too many registers", index) ||
      !check_.expect(function.selectors <= program_->selectors_max, "function {} has too many selectors", index)) {
    return false;
  }
  const auto steps = steps_.subspan(function.first_step, function.steps);
  std::uint32_t points = 0;
  for (std::uint32_t at = 0; at < steps.size(); ++at) {
    if (!step(function, at, steps[at])) return false;
    if ((row(steps[at].op).uses & use::point) != 0) ++points;
  }
  return verify_selectors(check_, function, steps) && verify_loops(check_, steps) &&
         check_.expect(may_be_last(steps.back().op), "function {} has no end", index) &&
         check_.expect(points == function.resume_points, "function {} has {} resume points", index, points);
}

bool ProgramVerifier::step(const Function& function, std::uint32_t at, const Step& step) {
  if (!check_.below(step.op, Op::count_, "step")) return false;
  const OpRow& uses = row(step.op);
  const bool back = step.op == Op::fetch_next || step.op == Op::need || step.op == Op::select_again;
  if ((uses.uses & use::reg) != 0 && !check_.expect(step.reg < function.registers, "register {} is none", step.reg))
    return false;
  if ((uses.uses & use::target) != 0 &&
      !check_.expect(step.target < function.steps && (back ? step.target <= at : step.target > at), "a step goes to {}",
                     step.target)) {
    return false;
  }
  const bool may_lack = uses.constant == StepConstant::arguments || uses.constant == StepConstant::set;
  if (uses.constant != StepConstant::none && !(may_lack && step.b == kNoConstant) &&
      !check_.expect(step.b < function.constants, "constant {} is none", step.b)) {
    return false;
  }
  switch (step.op) {
    case Op::fetch: return check_.below(static_cast<FetchId>(step.a), FetchId::count_, "fetch");
    case Op::fetch_next:
      return check_.below(static_cast<FetchId>(step.a), FetchId::count_, "fetch") &&
             check_.expect(row(static_cast<FetchId>(step.a)).many, "{} has no next value",
                           name_of(static_cast<FetchId>(step.a)));
    case Op::convert: return check_.below(static_cast<ConverterId>(step.a), ConverterId::count_, "converter");
    case Op::cast:
      return check_.expect(step.a <= static_cast<std::uint16_t>(SampleType::method), "type {} is unknown", step.a);
    case Op::test:
      return check_.expect(step.a <= static_cast<std::uint16_t>(Match::domain), "match {} is unknown", step.a);
    case Op::text_alias: return check_.below(static_cast<AliasId>(step.a), AliasId::count_, "alias");
    case Op::act:
    case Op::quit:
    case Op::reply: return check_.below(static_cast<ActionId>(step.a), ActionId::count_, "action");
    default: return true;
  }
}

bool ProgramVerifier::entry(const Entry& entry) {
  if (entry.function == kNoFunction) return true;
  if (!check_.expect(entry.function < functions_.size(), "function {} is none", entry.function) ||
      !check_.inside(entry.bindings, "bindings")) {
    return false;
  }
  const Function& function = functions_[entry.function];
  const auto constants = image_.rows(entry.bindings);
  if (!check_.expect(constants.size() >= function.constants, "bindings lack constants")) return false;
  const auto steps = steps_.subspan(function.first_step, function.steps);
  const std::vector<std::uint32_t> counts = selector_counts(function, steps);
  for (const Step& step : steps) {
    if (row(step.op).constant == StepConstant::none) continue;
    static const Constant kNone;
    if (!constant(step, step.b == kNoConstant ? kNone : constants[step.b])) return false;
    const bool selects = step.op == Op::select || step.op == Op::use_backend_found;
    if (selects && !cases(step, constants.first(function.constants), counts[step.a])) return false;
  }
  return true;
}

// Of a selector with `count` cases: none has a higher number, and there is a backend for each.
bool ProgramVerifier::cases(const Step& step, std::span<const Constant> constants, std::uint32_t count) {
  if (step.op == Op::select) {
    const auto rows = image_.rows(choices_[constants[step.b].index].cases);
    return check_.expect(rows.empty() || rows.back().number < count, "a choice has more than {} cases", count);
  }
  if (!check_.expect(step.b + std::uint64_t{count} <= constants.size(), "{} cases lack backends", count)) return false;
  for (const Constant& backend : constants.subspan(step.b, count)) {
    if (!constant(step, backend)) return false;
  }
  return true;
}

bool ProgramVerifier::constant(const Step& step, const Constant& constant) {
  using Kind = Constant::Kind;
  const auto is = [&](Kind kind) {
    return check_.expect(constant.kind == kind, "{} has a constant of kind {}", name_of(step.op),
                         static_cast<int>(constant.kind));
  };
  switch (row(step.op).constant) {
    case StepConstant::none: return true;
    case StepConstant::arguments:
      if (step.op == Op::convert) {
        const auto id = static_cast<ConverterId>(step.a);
        return arguments(constant, row(id).params, name_of(id));
      } else {
        const auto id = static_cast<FetchId>(step.a);
        return arguments(constant, row(id).params, name_of(id));
      }
    case StepConstant::value:
      return constant.kind == Kind::integer || (is(Kind::text) && check_.inside(constant.text, "a text"));
    case StepConstant::text: return is(Kind::text) && check_.inside(constant.text, "a text");
    case StepConstant::set: {
      const auto match = static_cast<Match>(step.a);
      if (match == Match::found || match == Match::boolean) return true;
      return is(Kind::set) && check_.expect(constant.index < sets_.size(), "set {} is none", constant.index);
    }
    case StepConstant::action:
      if (static_cast<ActionId>(step.a) == ActionId::set_var) {
        return is(Kind::variable) && check_.inside(constant.text, "a variable") &&
               check_.expect(constant.scope <= VariableScope::check, "a scope is unknown");
      }
      if (static_cast<ActionId>(step.a) == ActionId::del_header && constant.kind == Kind::set) {
        return check_.expect(constant.index < sets_.size(), "set {} is none", constant.index);
      }
      if (edits_address(static_cast<ActionId>(step.a))) return is(Kind::none);
      return is(Kind::field) && check_.inside(constant.text, "a field");
    case StepConstant::reply:
      return is(Kind::reply) && check_.expect(constant.index < program_->replies, "reply {} is none", constant.index);
    case StepConstant::redirect:
      return is(Kind::redirect) &&
             check_.expect(constant.index < redirects_.size(), "redirection {} is none", constant.index);
    case StepConstant::choice:
      return is(Kind::choice) && check_.expect(constant.index < choices_.size(), "choice {} is none", constant.index);
    case StepConstant::backend:
      return is(Kind::backend) && check_.expect(constant.index < proxies_.size(), "backend {} is none", constant.index);
  }
  return false;
}

bool ProgramVerifier::arguments(const Constant& constant, std::span<const Param> params, std::string_view name) {
  if (constant.kind == Constant::Kind::none) {
    return check_.expect(params.empty() || params.front().optional, "{} lacks arguments", name);
  }
  if (!check_.expect(constant.kind == Constant::Kind::arguments, "{} has other arguments", name) ||
      !check_.inside(constant.arguments, "arguments")) {
    return false;
  }
  const auto rows = image_.rows(constant.arguments);
  if (!check_.expect(rows.size() == params.size() && rows.size() <= kArgumentsMax, "{} has {} arguments", name,
                     rows.size()))
    return false;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (!argument(rows[at], params[at], name)) return false;
  }
  return true;
}

bool ProgramVerifier::argument(const Constant& constant, const Param& param, std::string_view name) {
  using Kind = Constant::Kind;
  if (constant.kind == Kind::none) return check_.expect(param.optional, "{} lacks its {}", name, param.name);
  const bool number = param.take == Take::integer || param.take == Take::index || param.take == Take::boolean ||
                      param.take == Take::size || param.take == Take::duration ||
                      (param.take == Take::value && constant.kind == Kind::integer);
  if (number) return check_.expect(constant.kind == Kind::integer, "{} has no number for {}", name, param.name);
  const bool variable = param.take == Take::variable || param.take == Take::value;
  const bool right =
      variable ? constant.kind == Kind::variable : constant.kind == Kind::text || constant.kind == Kind::field;
  return check_.expect(right, "{} has a wrong {}", name, param.name) && check_.inside(constant.text, "an argument") &&
         check_.expect(constant.scope <= VariableScope::check, "a scope is unknown");
}

bool ProgramVerifier::pattern_reference(const PatternReference& reference) {
  if (!check_.is_bool(reference.ignore_case, "ignore_case") || !check_.inside(reference.file, "a file's name") ||
      !check_.inside(reference.description, "a description") || !check_.inside(reference.texts, "patterns") ||
      !check_.expect(reference.match <= Match::domain, "a match is unknown")) {
    return false;
  }
  for (const Text& text : image_.rows(reference.texts)) {
    if (!check_.inside(text, "a pattern")) return false;
  }
  return true;
}

bool ProgramVerifier::pattern_set(const PatternSet& set) {
  if (!check_.is_bool(set.ignore_case, "ignore_case") || !check_.is_bool(set.captures, "captures") ||
      !check_.inside(set.acl_name, "a name") || !check_.inside(set.reference, "a name") ||
      !check_.inside(set.patterns, "patterns") || !check_.inside(set.parts, "parts") ||
      !check_.expect(set.match <= Match::domain, "a match is unknown")) {
    return false;
  }
  const auto parts = image_.rows(set.parts);
  std::uint64_t patterns = 0;
  for (const SetPart& part : parts) {
    if (!check_.expect(part.reference < references_.size(), "reference {} is none", part.reference)) return false;
    patterns += part.patterns;
  }
  if (!check_.expect(parts.empty() || patterns == set.patterns.count, "parts have {} patterns", patterns)) return false;
  for (const Pattern& pattern : image_.rows(set.patterns)) {
    const unsigned bits_max = pattern.ip_family == 4 ? 32 : pattern.ip_family == 6 ? 128 : 0;
    if (!check_.inside(pattern.text, "a pattern") ||
        !check_.expect(pattern.prefix_bits <= bits_max, "a prefix has {} bits", pattern.prefix_bits)) {
      return false;
    }
  }
  return true;
}

bool ProgramVerifier::redirect(const Redirect& redirect) {
  return check_.is_bool(redirect.drop_query, "drop_query") && check_.is_bool(redirect.append_slash, "append_slash") &&
         check_.is_bool(redirect.clear_cookie, "clear_cookie") && check_.inside(redirect.set_cookie, "a cookie") &&
         check_.expect(redirect.kind <= Redirect::Kind::scheme, "a redirection is of an unknown kind");
}

bool ProgramVerifier::choice(const Choice& choice) {
  if (!check_.inside(choice.cases, "cases")) return false;
  std::uint32_t last = 0;
  for (const ChoiceCase& one : image_.rows(choice.cases)) {
    const bool without_set = one.match == Match::found || one.match == Match::boolean;
    if (!check_.expect(one.match <= Match::domain, "a match is unknown") ||
        !check_.expect(one.set < sets_.size() || (without_set && one.set == kNoSet), "set {} is none", one.set) ||
        !check_.expect(one.number >= last && one.number != kNoCase, "the cases of a choice are not in order")) {
      return false;
    }
    last = one.number;
  }
  return true;
}

}  // namespace

std::string verify(const ImageView& image) { return ProgramVerifier(image).run(); }

}  // namespace hawser::abi
