#include "compiler/driver/compile.h"

#include "compiler/finalise/finalise.h"
#include "compiler/lower/lower.h"

namespace hawser::compiler {

Compiled compile(const std::vector<grammar::FileId>& files, const grammar::Sources& sources,
                 grammar::Environment& environment, const Options& options, grammar::Diagnostics& diagnostics) {
  Compiled compiled;
  compiled.config = read_and_check(files, sources, environment, options, diagnostics);
  if (diagnostics.has_fatal()) return compiled;
  compiled.plan = make_plan(*compiled.config, sources, options);
  ir::Module module = lower(*compiled.config);
  opt::optimise(module, options.passes);
  compiled.program = finalise(module);
  return compiled;
}

}  // namespace hawser::compiler
