// Sample expressions: a fetch and its converters, each checked against its row and against the type that it
// gets.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/resolve/syntax.h"

namespace hawser::compiler {
namespace {

void add_guess(grammar::Diagnostic& diagnostic, NameKind kind, std::string_view name) {
  diagnostic.suggest(grammar::did_you_mean(name, known_names(kind)));
}

const ConverterRow* resolve_converter_name(ReadContext& cx, const grammar::Call& call, const Voice& voice) {
  if (const ConverterRow* row = find_converter(call.name)) return row;
  if (is_later(NameKind::converter, call.name)) {
    not_supported(cx, voice, call.name_span, fmt::format("the converter '{}'", call.name));
  } else {
    add_guess(refuse(cx, voice, call.name_span, fmt::format("unknown converter '{}'", call.name)), NameKind::converter,
              call.name);
  }
  return nullptr;
}

// Adds one converter to the expression; false after a message.
bool add_conversion(ReadContext& cx, const grammar::Call& call, const grammar::Word& word, const SampleVoice& voice,
                    model::SampleExpr& sample) {
  if (call.name.empty()) return true;  // "path,,lower" and "path,": haproxy 2.6 passes over them
  const ConverterRow* row = resolve_converter_name(cx, call, voice.converter);
  if (row == nullptr) return false;
  auto args = resolve_arguments(cx, call, row->params, word, true, voice);
  if (!args) return false;
  if (!can_cast(sample.result, row->input)) {
    refuse(cx, voice.converter, call.span, fmt::format("converter '{}' cannot be applied", call.name));
    return false;
  }
  sample.converters.push_back({row->id, std::move(*args), call.span});
  sample.result = row->output;
  return true;
}

// An unknown name is said before what is wrong behind it.
bool fetch_name_is_known(ReadContext& cx, const grammar::Word& word, const Voice& voice) {
  const std::string_view text = word.text;
  const std::size_t end = std::min(text.find_first_of("(),;: "), text.size());
  if (end == 0) return true;
  const grammar::Span span = word.part(0, end);
  return resolve_fetch_name(
             cx, {.name = std::string(text.substr(0, end)), .span = span, .name_span = span, .arguments = {}}, voice) !=
         nullptr;
}

}  // namespace

std::string_view text_from(const grammar::Word& word, grammar::Span span) noexcept {
  const auto found = std::find(word.columns.begin(), word.columns.end(), span.column);
  const auto at = static_cast<std::size_t>(found - word.columns.begin());
  return at < word.text.size() ? std::string_view(word.text).substr(at) : std::string_view();
}

std::string_view text_of(const grammar::Word& word, grammar::Span span) noexcept {
  if (word.columns.empty()) return word.text;
  const std::string_view rest = text_from(word, span);
  const std::size_t first = word.text.size() - rest.size();
  std::size_t end = first;
  while (end < word.text.size() && end < word.columns.size() && word.columns[end] < span.column + span.length) ++end;
  return rest.substr(0, end - first);
}

const FetchRow* resolve_fetch_name(ReadContext& cx, const grammar::Call& call, const Voice& voice) {
  if (const FetchRow* row = find_fetch(call.name)) return row;
  if (call.name.empty()) {
    refuse(cx, voice, call.span, "missing fetch method");
  } else if (is_later(NameKind::fetch, call.name)) {
    not_supported(cx, voice, call.name_span, fmt::format("the sample fetch '{}'", call.name));
  } else {
    add_guess(refuse(cx, voice, call.name_span, fmt::format("unknown fetch method '{}'", call.name)), NameKind::fetch,
              call.name);
  }
  return nullptr;
}

std::optional<model::SampleExpr> resolve_syntax(ReadContext& cx, const grammar::SampleSyntax& syntax,
                                                const grammar::Word& word, const FetchRow& fetch,
                                                const SampleVoice& voice) {
  model::SampleExpr sample;
  sample.fetch = fetch.id;
  sample.result = fetch.result;
  sample.span = syntax.span;
  sample.text = text_of(word, syntax.span);
  auto args = resolve_arguments(cx, syntax.fetch, fetch.params, word, false, voice);
  if (!args) return std::nullopt;
  sample.args = std::move(*args);
  for (const grammar::Call& call : syntax.converters) {
    if (!add_conversion(cx, call, word, voice, sample)) return std::nullopt;
  }
  return sample;
}

std::optional<model::SampleExpr> resolve_sample(ReadContext& cx, const std::vector<grammar::Word>& words,
                                                std::size_t& at, const Where& where) {
  const SampleVoice voice{where.voice, where.voice};
  if (at >= words.size() || words[at].text.empty()) {
    const grammar::Span last = words.empty() ? grammar::Span() : words.back().span;
    refuse(cx, where.voice, last, "missing fetch method");
    return std::nullopt;
  }
  const grammar::Word& word = words[at];
  if (!fetch_name_is_known(cx, word, where.voice)) return std::nullopt;
  const auto syntax = parse_in(cx, where.voice, [&](auto& said) { return grammar::parse_sample(word, said); });
  if (!syntax) return std::nullopt;
  const FetchRow* fetch = resolve_fetch_name(cx, syntax->fetch, where.voice);
  if (fetch == nullptr) return std::nullopt;
  auto sample = resolve_syntax(cx, *syntax, word, *fetch, voice);
  if (!sample) return std::nullopt;
  for (++at; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    const std::string_view name = text.substr(0, text.find_first_of("(,"));
    if (find_converter(name) == nullptr && !is_later(NameKind::converter, name)) break;
    const auto more = parse_in(cx, where.voice, [&](auto& said) { return grammar::parse_sample(words[at], said); });
    if (!more || !add_conversion(cx, more->fetch, words[at], voice, *sample)) return std::nullopt;
    for (const grammar::Call& call : more->converters) {
      if (!add_conversion(cx, call, words[at], voice, *sample)) return std::nullopt;
    }
    sample->text += fmt::format(" {}", text);
  }
  return sample;
}

}  // namespace hawser::compiler
