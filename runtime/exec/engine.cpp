// A Program made ready: checked once, its sets and resume points looked up.
#include "runtime/exec/interpreter.h"

namespace hawser::exec {

Result<std::unique_ptr<Engine>> Engine::make(abi::ImageView image) {
  if (std::string wrong = abi::verify(image); !wrong.empty()) return Error{0, "the program is damaged: " + wrong};
  return std::unique_ptr<Engine>(new Engine(image));
}

Engine::Engine(abi::ImageView image)
    : image_(image),
      program_(&image.root<abi::Program>()),
      steps_(image.rows(program_->steps)),
      functions_(image.rows(program_->functions)),
      proxies_(image.rows(program_->proxies)),
      redirects_(image.rows(program_->redirects)) {
  for (const abi::PatternSet& set : image_.rows(program_->sets)) {
    sets_.push_back({&image_, image_.rows(set.patterns), set.match, set.ignore_case});
  }
  for (const abi::Function& function : functions_) {
    first_resume_.push_back(static_cast<std::uint32_t>(resume_steps_.size()));
    for (std::uint32_t at = 0; at < function.steps; ++at) {
      const abi::Op op = steps_[function.first_step + at].op;
      if (op == abi::Op::test_suspend || op == abi::Op::need) resume_steps_.push_back(at);
    }
  }
}

Outcome Engine::run(const abi::Entry& entry, WorkerContext& worker, Subject& subject, Frame& frame,
                    ResumePoint resume) const noexcept {
  if (entry.function == abi::kNoFunction) return {};
  return Interpreter(*this, entry, worker, subject, frame).run(resume);
}

}  // namespace hawser::exec
