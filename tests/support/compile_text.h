// Compiles a configuration given as text, as tests want it: both images, or the messages.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "compiler/driver/compile.h"
#include "compiler/finalise/finalise.h"
#include "compiler/lower/lower.h"
#include "grammar/diagnostics.h"
#include "runtime/exec/run.h"
#include "runtime/tables/state.h"

namespace hawser::test {

struct CompiledText {
  grammar::Sources sources;
  compiler::Compiled compiled;
  std::string messages;  // empty when it compiled

  bool ok() const noexcept { return compiled.plan.has_value() && compiled.program.has_value(); }
};

inline std::unique_ptr<CompiledText> compile_text(std::string text, const compiler::Options& options = {}) {
  auto result = std::make_unique<CompiledText>();
  const grammar::FileId file = result->sources.add("test.cfg", std::move(text));
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(result->sources);
  result->compiled = compiler::compile({file}, result->sources, environment, options, diagnostics);
  for (const grammar::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.fatal) result->messages += grammar::render(diagnostic, result->sources, 0);
  }
  return result;
}

// The defaults that keep warnings and errors away.
inline std::string http_config(const std::string& sections) {
  return "defaults\n  mode http\n  timeout client 1s\n  timeout server 1s\n  timeout connect 1s\n" + sections;
}

// A compiled text that runs.
struct Running {
  std::unique_ptr<CompiledText> text;
  abi::Image program;
  tables::State state{1};
  std::unique_ptr<tables::Installed> installed;
  std::unique_ptr<exec::Engine> engine;
  std::string wrong;

  explicit Running(const std::string& config, const compiler::FinaliseOptions& options = {},
                   opt::PassSet passes = opt::PassSet::all())
      : text(compile_text(config, {.passes = passes})) {
    wrong = text->messages;
    if (!text->ok()) return;
    ir::Module module = compiler::lower(*text->compiled.config);
    opt::optimise(module, passes);
    program = compiler::finalise(module, options);
    wrong = abi::verify_pair(text->compiled.plan->view(), program.view());
    if (!wrong.empty()) return;
    installed = std::make_unique<tables::Installed>(text->compiled.plan->view(), state);
    auto made = exec::Engine::make(program.view());
    if (made.ok()) {
      engine = std::move(*made);
    } else {
      wrong = made.error().message;
    }
  }
};

}  // namespace hawser::test
