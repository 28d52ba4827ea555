// Runs the steps of one entry, from its beginning or from a resume point to the next end.
#pragma once

#include "runtime/exec/evaluation.h"

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

 private:
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

}  // namespace hawser::exec
