// Whole configuration texts. Holds: printing the tree gives the text back; every expanded word leads back to its
// line; reading ends, and every message can be shown.
#include "grammar/ast.h"
#include "tests/fuzz/grammar_word.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::fuzz;  // NOLINT(google-build-using-namespace)
  Text text(data, size);
  const ast::File tree = ast::parse(text.file, text.sources, text.diagnostics);
  HAWSER_CHECK(ast::print(tree) == text.bytes);
  ast::dump(tree);
  Environment environment;
  environment.set("A", " p  q ");
  environment.set("B", "");
  Reader reader(tree, text.sources, environment, text.diagnostics);
  reader.set_section("s");
  while (const std::optional<Line> line = reader.next()) {
    HAWSER_CHECK(!line->words.empty() && line->words.size() <= kWordsMax);
    const std::size_t line_bytes = text.sources.line(text.file, line->span.line).size();
    for (const Word& word : line->words) {
      HAWSER_CHECK(!word.text.empty());
      HAWSER_CHECK(word.columns.size() == word.text.size() + 1);
      HAWSER_CHECK(word.ends.size() == word.text.size());
      const Span whole = word.part(0, word.text.size());
      HAWSER_CHECK(whole.column >= word.span.column);
      HAWSER_CHECK(whole.column + whole.length <= word.span.column + word.span.length);
      HAWSER_CHECK(word.span.column + word.span.length <= line_bytes);
    }
    if (line->words.size() == 3 && line->words[0].text == "setenv") {
      environment.set(line->words[1].text, line->words[2].text);
    }
  }
  text.check(!text.diagnostics.has_fatal());
  return 0;
}
