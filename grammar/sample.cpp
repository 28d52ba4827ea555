// Sample expressions: from calls as read to syntax with spans, and haproxy 2.6's words for what is wrong.
#include "grammar/calls.h"

#include <algorithm>

namespace hawser::grammar {

void CallsBuilder::name(std::string_view text) {
  const std::size_t at = offset(text);
  chain_.calls.push_back({text, at, at + text.size(), false, true, {}});
}

void CallsBuilder::open(std::string_view) {
  chain_.calls.back().has_parentheses = true;
  pending_.clear();
}

void CallsBuilder::argument(std::string_view text) {
  const std::size_t at = offset(text);
  chain_.calls.back().arguments.push_back({std::move(pending_), at, at + text.size()});
  pending_.clear();
}

void CallsBuilder::escape(std::string_view text) {
  switch (text[1]) {
    case 't': pending_ += '\t'; break;
    case 'n': pending_ += '\n'; break;
    case 'r': pending_ += '\r'; break;
    default: pending_ += text[1];
  }
}

void CallsBuilder::close(std::string_view text) { chain_.calls.back().end = offset(text) + 1; }

void CallsBuilder::missing_close(std::string_view nothing) {
  chain_.calls.back().end = offset(nothing);
  chain_.calls.back().closed = false;
}

CallChain CallsBuilder::take(std::size_t end) {
  chain_.end = end;
  return std::move(chain_);
}

namespace {

Call to_call(const CallText& text, const Word& word) {
  Call call;
  call.name = text.name;
  call.span = word.part(text.begin, text.end - text.begin);
  call.name_span = word.part(text.begin, text.name.size());
  call.has_parentheses = text.has_parentheses;
  for (const CallArgument& argument : text.arguments) {
    call.arguments.push_back({argument.text, word.part(argument.begin, argument.end - argument.begin)});
  }
  return call;
}

// Where something is missing: the byte at `at`, or the place behind the word.
Span missing_at(const Word& word, std::size_t at) {
  Span span = word.part(at, 1);
  if (span.length == 0) span.length = 1;
  return span;
}

bool check_call(const CallText& call, bool is_fetch, const Word& word, Diagnostics& diagnostics) {
  if (call.name.empty()) {
    diagnostics.error(missing_at(word, call.begin), "{}", is_fetch ? "missing fetch method." : "unknown converter ''.");
    return false;
  }
  if (call.closed) return true;
  const Span open = word.part(call.begin + call.name.size(), 1);
  const std::string what =
      is_fetch ? fmt::format("fetch method '{}' : expected ')'.", call.name)
               : fmt::format("invalid arg {} in converter '{}' : expected ')'.", call.arguments.size(), call.name);
  diagnostics.error(missing_at(word, call.end), "{}", what).label(open, "to close this '('");
  return false;
}

}  // namespace

std::optional<SampleRead> read_sample(const Word& word, std::size_t at, bool in_brackets, Diagnostics& diagnostics) {
  const CallChain chain = read_calls(word.text, at);
  for (std::size_t i = 0; i < chain.calls.size(); ++i) {
    if (!check_call(chain.calls[i], i == 0, word, diagnostics)) return std::nullopt;
  }
  if (chain.commas != 0 && (in_brackets || chain.end < word.text.size())) {
    diagnostics.error(missing_at(word, chain.end), "unknown converter ''.");
    return std::nullopt;
  }
  SampleRead read;
  read.end = chain.end;
  read.sample.fetch = to_call(chain.calls.front(), word);
  for (std::size_t i = 1; i < chain.calls.size(); ++i) read.sample.converters.push_back(to_call(chain.calls[i], word));
  read.sample.span = word.part(at, chain.calls.back().end - at);
  return read;
}

std::optional<SampleSyntax> parse_sample(const Word& word, Diagnostics& diagnostics, std::size_t at) {
  at = std::min(at, word.text.size());
  std::optional<SampleRead> read = read_sample(word, at, false, diagnostics);
  if (!read) return std::nullopt;
  if (read->end == word.text.size()) return std::move(read->sample);
  const SampleSyntax& sample = read->sample;
  const Span span = missing_at(word, read->end);
  if (sample.converters.empty()) {
    diagnostics.error(span, "missing comma after fetch keyword '{}'.", sample.fetch.name);
  } else {
    diagnostics.error(span, "missing comma after converter '{}'.", sample.converters.back().name);
  }
  return std::nullopt;
}

}  // namespace hawser::grammar
