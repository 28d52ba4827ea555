// How the resolver's own parts talk to each other: expression syntax with its word, and messages in its
// voice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/resolve/names.h"
#include "compiler/resolve/rules.h"

namespace hawser::compiler {

// How the messages about one sample expression begin and end: those about its fetch, and those about
// converters.
struct SampleVoice {
  Voice fetch;
  Voice converter;
  bool criterion = false;  // "ACL keyword 'path' : " names the fetch already
  Voice bare{};            // of a criterion: without these words
};

// Runs a parser of the grammar; what it reports is said in `voice`.
template <class Parse>
auto parse_in(ReadContext& cx, const Voice& voice, Parse parse) {
  grammar::Diagnostics said(cx.sources);
  auto result = parse(said);
  for (grammar::Diagnostic diagnostic : said.all()) {
    std::string_view reason = diagnostic.text;
    while (reason.ends_with('.')) reason.remove_suffix(1);
    diagnostic.text = fmt::format("{}{}{}", voice.before, reason, voice.after);
    diagnostic.origin = voice.origin;
    cx.diagnostics.add(std::move(diagnostic));
  }
  return result;
}

// The rest of the word's text from the byte that stands at `span`, as messages quote it.
std::string_view text_from(const grammar::Word& word, grammar::Span span) noexcept;
// The text of the word that `span` covers.
std::string_view text_of(const grammar::Word& word, grammar::Span span) noexcept;

// `syntax` stands in `word`. `fetch`: the row of its first name.
std::optional<model::SampleExpr> resolve_syntax(ReadContext& cx, const grammar::SampleSyntax& syntax,
                                                const grammar::Word& word, const FetchRow& fetch,
                                                const SampleVoice& voice);
// The row of a plain fetch; null after a message.
const FetchRow* resolve_fetch_name(ReadContext& cx, const grammar::Call& call, const Voice& voice);

// The arguments of a call, as many as there are params. `prefix` begins messages about their form, as "fetch
// method 'hdr' : "; a converter's says which of its arguments is wrong.
std::optional<std::vector<model::Arg>> resolve_arguments(ReadContext& cx, const grammar::Call& call,
                                                         std::span<const abi::Param> params, const grammar::Word& word,
                                                         bool is_converter, const SampleVoice& voice);

// A variable's name, or why it is none.
struct VariableProblem {
  std::string text;
  std::size_t at = 0;
};
Result<model::Variable, VariableProblem> read_variable(std::string_view name);

}  // namespace hawser::compiler
