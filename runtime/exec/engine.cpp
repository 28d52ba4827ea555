// A Program made ready: checked once, its sets and resume points looked up.
#include <algorithm>

#include "runtime/exec/interpreter.h"
#include "runtime/exec/native_code.h"

namespace hawser::exec {

Result<std::unique_ptr<Engine>> Engine::make(abi::ImageView image) {
  if (std::string wrong = abi::verify(image); !wrong.empty()) return Error{0, "the program is damaged: " + wrong};
  std::unique_ptr<Engine> engine(new Engine(image));
  if (const Status made = engine->make_sets(); !made) return made.error();
  engine->make_choices();
  return engine;
}

Engine::Engine(abi::ImageView image)
    : image_(image),
      program_(&image.root<abi::Program>()),
      steps_(image.rows(program_->steps)),
      functions_(image.rows(program_->functions)),
      proxies_(image.rows(program_->proxies)),
      redirects_(image.rows(program_->redirects)) {
  for (const abi::Function& function : functions_) {
    first_resume_.push_back(static_cast<std::uint32_t>(resume_steps_.size()));
    for (std::uint32_t at = 0; at < function.steps; ++at) {
      const abi::Op op = steps_[function.first_step + at].op;
      if (op == abi::Op::test_suspend || op == abi::Op::need) resume_steps_.push_back(at);
    }
  }
}

Engine::~Engine() { delete native_.load(); }

Status Engine::install_native(int code) {
  auto mapped = NativeCode::map(code, image_);
  if (!mapped) return mapped.error();
  const NativeCode* none = nullptr;
  if (!native_.compare_exchange_strong(none, mapped->get(), std::memory_order_acq_rel)) {
    return Error{0, "there is native code already"};
  }
  static_cast<void>(mapped->release());
  return Success();
}

// The Program holds the text of a regular expression; here it becomes code, once for all workers.
Status Engine::make_sets() {
  for (const abi::PatternSet& set : image_.rows(program_->sets)) {
    const auto patterns = image_.rows(set.patterns);
    sets_.push_back({&image_, patterns, set.match, set.ignore_case});
    if (set.match != abi::Match::regex) continue;
    std::vector<kernels::Regex>& expressions = expressions_.emplace_back();
    for (const abi::Pattern& pattern : patterns) {
      auto compiled = kernels::Regex::compile(image_.text(pattern.text), {set.ignore_case, set.captures});
      if (!compiled) return Error{0, "the program is damaged: a regular expression: " + compiled.error().text};
      expressions.push_back(std::move(compiled).value());
    }
    sets_.back().expressions = expressions;  // a vector that is moved keeps its elements where they are
  }
  live_sets_ = std::make_unique<tables::LiveSets>(image_, sets_);
  live_sets_->on_change = [this](std::uint32_t set) { outdate_choices(set); };
  return Success();
}

void Engine::make_choices() {
  static const kernels::SetView kNoPatterns;
  for (const abi::Choice& choice : image_.rows(program_->choices)) {
    const auto rows = image_.rows(choice.cases);
    std::vector<kernels::ChoiceCase> cases;
    cases.reserve(rows.size());
    for (const abi::ChoiceCase& one : rows) {
      cases.push_back({one.number, one.match, one.set == abi::kNoSet ? &kNoPatterns : &sets_[one.set]});
    }
    choices_.emplace_back(rows, kernels::Choice(cases));
  }
}

std::uint32_t Engine::first_case(std::uint32_t choice, const abi::Sample& sample, std::uint32_t from,
                                 const WorkerContext& worker) const noexcept {
  const GuardedChoice& guarded = choices_[choice];
  if (!guarded.outdated.load(std::memory_order_relaxed)) [[likely]]
    return guarded.choice.first(sample, from);
  for (const abi::ChoiceCase& one : guarded.cases) {
    if (one.number < from) continue;
    const bool yes =
        one.set == abi::kNoSet ? kernels::matches(sample, {}, one.match) : matches(one.set, sample, one.match, worker);
    if (yes) return one.number;
  }
  return abi::kNoCase;
}

void Engine::outdate_choices(std::uint32_t set) noexcept {
  for (GuardedChoice& one : choices_) {
    const bool of_it =
        std::any_of(one.cases.begin(), one.cases.end(), [&](const abi::ChoiceCase& row) { return row.set == set; });
    if (of_it) one.outdated.store(true, std::memory_order_relaxed);
  }
}

Outcome Engine::run(const abi::Entry& entry, WorkerContext& worker, Subject& subject, Frame& frame,
                    ResumePoint resume) const noexcept {
  if (entry.function == abi::kNoFunction) return {};
  Interpreter run(*this, entry, worker, subject, frame);
  const NativeCode* const code = native();
  return code == nullptr ? run.run(resume) : run.run_native(*code, resume);
}

}  // namespace hawser::exec
