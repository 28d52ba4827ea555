#include "runtime/exec/interpreter.h"

#include <algorithm>

#include "runtime/kernels/converters.h"

// A test that wants to know which steps are run names a header with HAWSER_ON_STEP(step).
#ifdef HAWSER_STEP_HOOK
#include HAWSER_STEP_HOOK
#else
#define HAWSER_ON_STEP(step) ((void)0)
#endif

namespace hawser::exec {
namespace {

using abi::Op;
using abi::Sample;
using abi::Step;
using abi::Truth;

constexpr Fetch kFetches[] = {
#define FETCH(id, ...) fetch_##id,
#include "runtime/abi/fetches.def"
#undef FETCH
};
constexpr Alias kAliases[] = {
#define ALIAS(id, ...) alias_##id,
#include "runtime/abi/aliases.def"
#undef ALIAS
};

Truth negated(Truth truth) noexcept {
  return truth == Truth::unknown ? truth : truth == Truth::yes ? Truth::no : Truth::yes;
}
Truth either(Truth a, Truth b) noexcept {
  if (a == Truth::yes || b == Truth::yes) return Truth::yes;
  return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::no;
}
Truth both(Truth a, Truth b) noexcept { return negated(either(negated(a), negated(b))); }

Sample kept(Truth truth) noexcept {
  Sample sample = Sample::boolean(truth == Truth::yes);
  sample.pending = truth == Truth::unknown;
  return sample;
}
Truth truth_of(const Sample& sample) noexcept {
  if (sample.pending) return Truth::unknown;
  return sample.type == abi::SampleType::boolean && sample.integer != 0 ? Truth::yes : Truth::no;
}

// Of captured fields, which are nothing at all, separators included, when there are none.
bool may_vanish(abi::AliasId alias) noexcept {
  return alias == abi::AliasId::hr || alias == abi::AliasId::hs || alias == abi::AliasId::hrl ||
         alias == abi::AliasId::hsl;
}

}  // namespace

Outcome Interpreter::run(ResumePoint resume) noexcept {
  std::uint32_t at = 0;
  if (resume == 0) {
    begin();
  } else {
    at = go_on(resume);
  }
  for (;;) {
    const Step& step = steps_[at++];
    HAWSER_ON_STEP(step);
    switch (step.op) {
      case Op::jump: at = step.target; break;
      case Op::jump_if:
        if ((step.a >> static_cast<unsigned>(frame_.condition) & 1) != 0) at = step.target;
        break;
      case Op::fetch: carry_out<Op::fetch>(step); break;
      case Op::fetch_next:
        carry_out<Op::fetch_next>(step);
        if (!reg(step).is_absent()) at = step.target;
        break;
      case Op::convert: carry_out<Op::convert>(step); break;
      case Op::cast: carry_out<Op::cast>(step); break;
      case Op::load: carry_out<Op::load>(step); break;
      case Op::test: carry_out<Op::test>(step); break;
      case Op::clear_condition: frame_.condition = Truth::no; break;
      case Op::negate: frame_.condition = negated(frame_.condition); break;
      case Op::keep_condition: reg(step) = kept(frame_.condition); break;
      case Op::absorb_or: frame_.condition = either(frame_.condition, truth_of(reg(step))); break;
      case Op::absorb_and: frame_.condition = both(frame_.condition, truth_of(reg(step))); break;
      case Op::text_begin: carry_out<Op::text_begin>(step); break;
      case Op::text_constant: carry_out<Op::text_constant>(step); break;
      case Op::text_separator: carry_out<Op::text_separator>(step); break;
      case Op::text_sample: carry_out<Op::text_sample>(step); break;
      case Op::text_alias: carry_out<Op::text_alias>(step); break;
      case Op::text_end: carry_out<Op::text_end>(step); break;
      case Op::act: carry_out<Op::act>(step); break;
      case Op::reply_body: carry_out<Op::reply_body>(step); break;
      case Op::reply_field: carry_out<Op::reply_field>(step); break;
      case Op::select_begin: selector(step) = {}; break;
      case Op::select: carry_out<Op::select>(step); break;
      case Op::select_again:
        if (select_again(step)) at = step.target;
        break;
      case Op::jump_found: {
        const std::uint32_t found = selector(step).found;
        at = found == abi::kNoCase ? step.target : steps_[at + found].target;
        break;
      }
      case Op::jump_unless_found:
        if (selector(step).found == abi::kNoCase) at = step.target;
        break;
#define END(id) case Op::id:
#include "runtime/abi/ends.def"
#undef END
      case Op::count_: return end(at - 1);
    }
  }
}

Outcome Interpreter::end(std::uint32_t at) noexcept {
  const Step& step = steps_[at];
  switch (step.op) {
    case Op::next: return {};
    case Op::stop: return {.kind = Outcome::Kind::stop};
    case Op::test_suspend: return wait(Outcome::Kind::suspend, at);
    case Op::need: return wait(Outcome::Kind::need, at);
    case Op::reply: return reply(step);
    case Op::quit: return {.kind = Outcome::Kind::close, .action = static_cast<abi::ActionId>(step.a)};
    case Op::redirect: return redirect(step);
    case Op::use_backend: frame_.backend = static_cast<std::int32_t>(constant(step).index); return {};
    case Op::use_backend_named: return use_backend_named(step);
    case Op::use_backend_found: return use_backend_found(step);
    case Op::emit: frame_.line = worker_.text; return {};
    default: break;
  }
  const bool is_end = false;
  HAWSER_CHECK(is_end);
  return {};
}

void Interpreter::begin() noexcept {
  const std::size_t registers = function_.registers;
  if (frame_.registers.size() < registers) {
    frame_.registers.resize(engine_.program_->registers_max);
    frame_.cursors.resize(engine_.program_->registers_max);
  }
  std::fill_n(frame_.registers.begin(), registers, Sample::absent());
  std::fill_n(frame_.cursors.begin(), registers, Frame::Cursor());
  if (const std::size_t selectors = function_.selectors; selectors > 0) {
    if (frame_.selectors.size() < selectors) frame_.selectors.resize(engine_.program_->selectors_max);
    std::fill_n(frame_.selectors.begin(), selectors, abi::Selector());
  }
  frame_.condition = Truth::no;
  frame_.resume = 0;
  frame_.text_blank = true;
  frame_.location = frame_.body = frame_.line = {};
  frame_.field_values.clear();
  frame_.backend = -1;
  worker_.text.clear();
}

// Behind test_suspend, or at the target of need.
std::uint32_t Interpreter::go_on(ResumePoint resume) noexcept {
  HAWSER_CHECK(resume <= function_.resume_points);
  worker_.text.assign(frame_.text);
  frame_.resume = 0;
  const std::uint32_t at = engine_.resume_steps_[engine_.first_resume_[entry_.function] + resume - 1];
  return steps_[at].op == Op::need ? steps_[at].target : at + 1;
}

// Leaves the run at a resume point. Others may use the WorkerContext before it goes on.
Outcome Interpreter::wait(Outcome::Kind kind, std::uint32_t at) noexcept {
  const std::uint32_t first = engine_.first_resume_[entry_.function];
  const auto begin = engine_.resume_steps_.begin() + first;
  const auto found = std::lower_bound(begin, begin + function_.resume_points, at);
  frame_.resume = static_cast<ResumePoint>(found - begin) + 1;
  frame_.text = subject_.arena->copy(worker_.text);
  return {.kind = kind};
}

const abi::Constant* Interpreter::arguments(const Step& step) const noexcept {
  if (step.b == abi::kNoConstant) return nullptr;
  const abi::Constant& bound = constants_[step.b];
  return bound.kind == abi::Constant::Kind::arguments ? engine_.image_.rows(bound.arguments).data() : nullptr;
}

void Interpreter::fetch(const Step& step, bool next) noexcept {
  FetchCall call{subject_, engine_.image_, arguments(step), step.flags, next, frame_.cursors[step.reg]};
  reg(step) = kFetches[step.a](call);
}

void Interpreter::convert(const Step& step) noexcept {
  Sample& sample = reg(step);
  if (sample.is_absent()) return;
  const auto id = static_cast<abi::ConverterId>(step.a);
  Sample values[abi::kArgumentsMax];
  if (step.b != abi::kNoConstant && constants_[step.b].kind == abi::Constant::Kind::arguments) {
    const auto bound = engine_.image_.rows(constants_[step.b].arguments);
    for (std::size_t at = 0; at < bound.size(); ++at) {
      const abi::Constant& argument = bound[at];
      switch (argument.kind) {
        case abi::Constant::Kind::integer: values[at] = Sample::sint(argument.integer); break;
        case abi::Constant::Kind::text:
        case abi::Constant::Kind::field: values[at] = Sample::text(engine_.image_.text(argument.text)); break;
        case abi::Constant::Kind::variable:
          values[at] = find_variable(subject_, argument.scope, engine_.image_.text(argument.text));
          break;
        default: break;
      }
    }
  }
  const bool pending = sample.pending;
  kernels::cast(sample, kernels::input_of(id), *subject_.arena);
  if (sample.is_absent() || !kernels::converter(id)(sample, values, *subject_.arena)) sample = Sample::absent();
  sample.pending = pending;
}

void Interpreter::test(const Step& step) noexcept {
  const Sample& sample = reg(step);
  const auto match = static_cast<abi::Match>(step.a);
  bool yes = false;
  if (match == abi::Match::found) {
    yes = !sample.is_absent();
  } else if (match == abi::Match::boolean) {
    yes = sample.type == abi::SampleType::boolean && sample.integer != 0;
  } else {
    yes = engine_.matches(constant(step).index, sample, match, worker_);
  }
  frame_.condition = yes ? Truth::yes : sample.pending ? Truth::unknown : Truth::no;
}

void Interpreter::append_alias(const Step& step) noexcept {
  const std::size_t size = worker_.text.size();
  AliasCall call{worker_.text, subject_, worker_, static_cast<std::uint16_t>(step.b)};
  kAliases[step.a](call);
  if (worker_.text.size() != size || !may_vanish(static_cast<abi::AliasId>(step.a))) frame_.text_blank = false;
}

void Interpreter::act(const Step& step) noexcept {
  const abi::Constant& argument = constant(step);
  const kernels::SetView* set = argument.kind == abi::Constant::Kind::set ? &engine_.sets_[argument.index] : nullptr;
  const ActionCall call{subject_, engine_.image_, argument, reg(step), set, (step.flags & abi::fetch_response) != 0};
  switch (static_cast<abi::ActionId>(step.a)) {
    case abi::ActionId::set_header: act_set_header(call); break;
    case abi::ActionId::add_header: act_add_header(call); break;
    case abi::ActionId::del_header: act_del_header(call); break;
    case abi::ActionId::set_var: act_set_var(call); break;
    case abi::ActionId::set_src: act_set_src(call); break;
    case abi::ActionId::set_src_port: act_set_src_port(call); break;
    case abi::ActionId::set_dst: act_set_dst(call); break;
    case abi::ActionId::set_dst_port: act_set_dst_port(call); break;
    default: break;
  }
}

std::string_view Interpreter::as_text(const Sample& sample) noexcept {
  Sample text = sample;
  kernels::cast(text, abi::SampleType::string, *subject_.arena);
  return text.is_absent() ? std::string_view() : text.view();
}

Outcome Interpreter::reply(const Step& step) noexcept {
  return {.kind = Outcome::Kind::reply, .action = static_cast<abi::ActionId>(step.a), .index = constant(step).index};
}

Outcome Interpreter::redirect(const Step& step) noexcept {
  const std::uint32_t index = constant(step).index;
  frame_.location = redirect_location(engine_.redirects_[index], as_text(reg(step)), subject_);
  return {.kind = Outcome::Kind::reply, .action = abi::ActionId::redirect, .index = index, .redirect = true};
}

Outcome Interpreter::use_backend_named(const Step& step) noexcept {
  const std::string_view name = as_text(reg(step));
  if (subject_.installed != nullptr) frame_.backend = subject_.installed->find_backend(name);
  return {};
}

Outcome Interpreter::use_backend_found(const Step& step) noexcept {
  const std::uint32_t found = selector(step).found;
  if (found != abi::kNoCase) frame_.backend = static_cast<std::int32_t>(constants_[step.b + found].index);
  return {};
}

void Interpreter::select(const Step& step) noexcept {
  abi::Selector& selector = this->selector(step);
  if (found_first(step)) return;  // nothing lies before it
  selector.found =
      std::min(selector.found, engine_.first_case(constant(step).index, reg(step), selector.from, worker_));
}

bool Interpreter::select_again(const Step& step) noexcept {
  abi::Selector& selector = this->selector(step);
  if (selector.found == abi::kNoCase) return false;
  selector = {selector.found + 1, abi::kNoCase};
  return true;
}

}  // namespace hawser::exec
