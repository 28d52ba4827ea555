// Conditions of rules and of `.if`. Holds: an answer or a message; no group is empty; no braces are left in the
// words of an anonymous term's end.
#include "grammar/ast.h"
#include "tests/fuzz/grammar_word.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::fuzz;  // NOLINT(google-build-using-namespace)
  Text text(data, size);
  Environment environment;
  const Reader::Predicate predicate = [](std::string_view name, const std::vector<std::string>& args) {
    return name == "feature" ? std::optional<bool>(args.empty()) : std::nullopt;
  };
  text.check(evaluate_predicate(text.word(), environment, predicate, text.diagnostics).has_value());

  Text line(data, size);
  const ast::File tree = ast::parse(line.file, line.sources, line.diagnostics);
  Diagnostics quiet(line.sources);
  Reader reader(tree, line.sources, environment, quiet);
  while (const std::optional<Line> words = reader.next()) {
    Diagnostics found(line.sources);
    const auto condition = parse_condition(words->words, 0, found);
    HAWSER_CHECK(condition.has_value() != found.has_fatal());
    if (!condition) continue;
    for (const auto& group : condition->any_of) {
      HAWSER_CHECK(!group.empty());
      for (const TermSyntax& term : group) HAWSER_CHECK(term.anonymous == term.name.empty());
    }
  }
  return 0;
}
