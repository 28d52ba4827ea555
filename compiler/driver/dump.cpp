// The texts of --dump.
#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/finalise/finalise.h"
#include "compiler/ir/text.h"
#include "compiler/lower/lower.h"
#include "compiler/model/dump_expression.h"
#include "runtime/abi/plan.h"
#include "runtime/abi/program.h"

namespace hawser::compiler {
namespace {

std::string dump_words(grammar::FileId file, const grammar::Sources& sources, grammar::Diagnostics& diagnostics) {
  return grammar::ast::dump(grammar::ast::parse(file, sources, diagnostics));
}

// One line a line: its number, and its words after expansion.
std::string dump_lines(grammar::FileId file, const grammar::Sources& sources, grammar::Environment& environment,
                       grammar::Diagnostics& diagnostics) {
  const grammar::ast::File tree = grammar::ast::parse(file, sources, diagnostics);
  grammar::Reader reader(tree, sources, environment, diagnostics);
  reader.set_predicates(predicates());
  std::string text;
  while (const auto line = reader.next()) {
    text += fmt::format("{}:", line->span.line);
    for (const grammar::Word& word : line->words) text += ' ' + model::quoted(word.text);
    text += '\n';
  }
  return text;
}

std::string dump_compiled(std::string_view stage, const model::Config& config, const grammar::Sources& sources,
                          const Options& options) {
  if (stage == "plan") return abi::dump_plan(make_plan(config, sources, options).view());
  ir::Module module = lower(config);
  if (stage == "ir") return ir::print(module);
  opt::optimise(module, options.passes);
  return stage == "ir-opt" ? ir::print(module) : abi::dump(finalise(module).view());
}

}  // namespace

std::optional<std::string> dump_text(std::string_view stage, const std::vector<grammar::FileId>& files,
                                     const grammar::Sources& sources, grammar::Environment& environment,
                                     const Options& options, grammar::Diagnostics& diagnostics) {
  if (stage == "words" || stage == "ast") {
    std::string text;
    for (const grammar::FileId file : files) {
      text += stage == "words" ? dump_words(file, sources, diagnostics)
                               : dump_lines(file, sources, environment, diagnostics);
    }
    return text;
  }
  if (stage != "model" && stage != "plan" && stage != "ir" && stage != "ir-opt" && stage != "program") {
    return std::nullopt;
  }
  const model::Config config = read_and_check(files, sources, environment, options, diagnostics);
  if (stage == "model") return model::dump(config);
  if (diagnostics.has_fatal()) return std::nullopt;
  return dump_compiled(stage, config, sources, options);
}

}  // namespace hawser::compiler
