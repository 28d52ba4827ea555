// One file into the configuration: its tree, its lines in order, each carried out before the next is expanded.
#include "compiler/driver/compile.h"
#include "compiler/keywords/section_reader.h"

namespace hawser::compiler {

namespace {
constexpr std::size_t kFatalErrorsMax = 50;  // haproxy gives up after as many
}

void read_file(grammar::FileId file, const grammar::Sources& sources, grammar::Environment& environment,
               const Options& options, grammar::Diagnostics& diagnostics, model::Config& config) {
  const grammar::ast::File tree = grammar::ast::parse(file, sources, diagnostics);
  grammar::Reader reader(tree, sources, environment, diagnostics);
  reader.set_predicates(predicates());
  ReadContext cx{.config = config,
                 .proxy = nullptr,
                 .diagnostics = diagnostics,
                 .environment = environment,
                 .sources = sources,
                 .options = options};
  SectionReader sections(cx);
  while (const auto line = reader.next()) {
    if (diagnostics.fatal_count() >= kFatalErrorsMax) {
      diagnostics.error(line->span, "too many fatal errors ({}), stopping now.", diagnostics.fatal_count())
          .from(grammar::Origin::tokens);
      return;
    }
    sections.read(*line);
    reader.set_section(sections.section_keyword());
  }
}

}  // namespace hawser::compiler
