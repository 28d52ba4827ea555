// Runs the steps of one entry, from its beginning or from a resume point to the next end.
#pragma once

#include "runtime/exec/evaluation.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/formats.h"

namespace hawser::exec {

class Interpreter {
 public:
  Interpreter(const Engine& engine, const abi::Entry& entry, WorkerContext& worker, Subject& subject,
              Frame& frame) noexcept
      : engine_(engine),
        entry_(entry),
        function_(engine.functions_[entry.function]),
        steps_(engine.steps_.data() + function_.first_step),
        constants_(engine.image_.rows(entry.bindings).data()),
        worker_(worker),
        subject_(subject),
        frame_(frame) {}

  Outcome run(ResumePoint resume) noexcept;
  Outcome run_native(const NativeCode& code, ResumePoint resume) noexcept;

  // Carries out a step that is neither a jump nor an end; `op` is step.op. Both engines work by it.
  template <abi::Op op>
  void carry_out(const abi::Step& step) noexcept;

 private:
  friend class NativeHelpers;
  Outcome end(std::uint32_t at) noexcept;
  void begin() noexcept;
  std::uint32_t go_on(ResumePoint resume) noexcept;
  Outcome wait(Outcome::Kind kind, std::uint32_t at) noexcept;
  void fetch(const abi::Step& step, bool next) noexcept;
  void convert(const abi::Step& step) noexcept;
  void test(const abi::Step& step) noexcept;
  void append_alias(const abi::Step& step) noexcept;
  void act(const abi::Step& step) noexcept;
  Outcome reply(const abi::Step& step) noexcept;
  Outcome redirect(const abi::Step& step) noexcept;
  Outcome use_backend_named(const abi::Step& step) noexcept;
  Outcome use_backend_found(const abi::Step& step) noexcept;
  void select(const abi::Step& step) noexcept;
  bool select_again(const abi::Step& step) noexcept;
  std::string_view as_text(const abi::Sample& sample) noexcept;

  const abi::Constant& constant(const abi::Step& step) const noexcept { return constants_[step.b]; }
  const abi::Constant* arguments(const abi::Step& step) const noexcept;
  abi::Selector& selector(const abi::Step& step) noexcept { return frame_.selectors[step.a]; }
  bool found_first(const abi::Step& select) noexcept { return selector(select).found == selector(select).from; }
  abi::Sample& reg(const abi::Step& step) noexcept { return frame_.registers[step.reg]; }

  const Engine& engine_;
  const abi::Entry& entry_;
  const abi::Function& function_;
  const abi::Step* steps_;
  const abi::Constant* constants_;
  WorkerContext& worker_;
  Subject& subject_;
  Frame& frame_;
};

template <abi::Op op>
void Interpreter::carry_out(const abi::Step& step) noexcept {
  using abi::Op;
  if constexpr (op == Op::fetch) {
    frame_.cursors[step.reg] = {};
    fetch(step, false);
  } else if constexpr (op == Op::fetch_next) {
    // Behind a select that found its first case, no later occurrence can match an earlier one.
    if (&step != steps_ && (&step)[-1].op == Op::select && found_first((&step)[-1])) {
      reg(step) = abi::Sample::absent();
    } else {
      fetch(step, true);
    }
  } else if constexpr (op == Op::convert) {
    convert(step);
  } else if constexpr (op == Op::cast) {
    kernels::cast(reg(step), static_cast<abi::SampleType>(step.a), *subject_.arena);
  } else if constexpr (op == Op::load) {
    const abi::Constant& value = constant(step);
    reg(step) = value.kind == abi::Constant::Kind::integer ? abi::Sample::sint(value.integer)
                                                           : abi::Sample::text(engine_.image_.text(value.text));
  } else if constexpr (op == Op::test) {
    test(step);
  } else if constexpr (op == Op::text_begin) {
    worker_.text.clear();
    frame_.text_blank = true;
  } else if constexpr (op == Op::text_constant) {
    worker_.text += engine_.image_.text(constant(step).text);
    frame_.text_blank = false;
  } else if constexpr (op == Op::text_separator) {
    if (!frame_.text_blank) worker_.text += ' ';
    frame_.text_blank = true;
  } else if constexpr (op == Op::text_sample) {
    kernels::append_sample(worker_.text, reg(step), step.a);
    frame_.text_blank = false;
  } else if constexpr (op == Op::text_alias) {
    append_alias(step);
  } else if constexpr (op == Op::text_end) {
    reg(step) = abi::Sample::text(subject_.arena->copy(worker_.text));
  } else if constexpr (op == Op::act) {
    act(step);
  } else if constexpr (op == Op::reply_body) {
    frame_.body = as_text(reg(step));
  } else if constexpr (op == Op::reply_field) {
    frame_.field_values.push_back(as_text(reg(step)));
  } else if constexpr (op == Op::select) {
    select(step);
  } else {
    static_assert(op == Op::count_, "a step that is no jump and no end has its work here");
  }
}

}  // namespace hawser::exec
