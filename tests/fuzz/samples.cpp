// One word as a sample expression, as a format and as the words of a test, from its bytes to a Program that is run. Holds:
// reading ends without a crash, messages can be shown, and what is sound is lowered to a Program that passes the
// verifier and runs to an end.
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/resolve/rules.h"
#include "tests/support/compile_text.h"
#include "tests/support/run_all.h"

namespace {

using namespace hawser;  // NOLINT(google-build-using-namespace)

// Each byte stands where it came from, as the reader of lines would have it.
grammar::Word word_of(std::string_view text, grammar::FileId file, std::uint32_t column) {
  grammar::Word word;
  word.text = text;
  word.span = {file, 1, column, static_cast<std::uint32_t>(text.size())};
  for (std::uint32_t at = 0; at <= text.size(); ++at) word.columns.push_back(column + at);
  for (std::uint32_t at = 1; at <= text.size(); ++at) word.ends.push_back(column + at);
  return word;
}

std::vector<grammar::Word> words_of(std::string_view text, grammar::FileId file) {
  std::vector<grammar::Word> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    if (blank > at) words.push_back(word_of(text.substr(at, blank - at), file, static_cast<std::uint32_t>(at)));
    at = blank + 1;
  }
  return words;
}

// Nothing of this is fixed by a file: what is said of it may be wrong only by crashing.
void read(std::string_view text, abi::EntryPoint point) {
  grammar::Sources sources;
  const grammar::FileId file = sources.add("fuzz.cfg", std::string(text) + "\n");
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  const compiler::Options options{.look_up_names = false};
  model::Config config;
  const grammar::FileId base = sources.add("base.cfg", test::http_config("frontend f\n  bind :80\n"));
  compiler::read_file(base, sources, environment, options, diagnostics, config);
  HAWSER_CHECK(!diagnostics.has_fatal());
  model::Proxy& proxy = config.proxies[config.proxies.id_at(config.proxies.size() - 1)];
  compiler::ReadContext cx{.config = config,
                           .proxy = &proxy,
                           .diagnostics = diagnostics,
                           .environment = environment,
                           .sources = sources,
                           .options = options};
  const compiler::Where where{point, {.before = "before: ", .after = "."}};
  const model::Ruleset ruleset =
      point == abi::EntryPoint::http_request ? model::Ruleset::http_request : model::Ruleset::http_response;
  auto& rules = proxy.rules[static_cast<std::size_t>(ruleset)];
  const grammar::Word whole = word_of(text, file, 0);
  std::vector<grammar::Word> words = words_of(text, file);
  std::size_t at = 0;
  if (auto sample = compiler::resolve_sample(cx, words, at, where)) {
    model::Rule& rule = rules.emplace_back();
    rule.action = abi::ActionId::set_var;
    rule.variable.name = "x";
    rule.sample = std::move(*sample);
  }
  if (auto format = compiler::resolve_format(cx, whole, where)) {
    model::Rule& rule = rules.emplace_back();
    rule.action = abi::ActionId::set_header;
    rule.name = "x";
    rule.format = std::move(*format);
  }
  words.insert(words.begin(), {word_of("if", file, 0), word_of("{", file, 0)});
  words.push_back(word_of("}", file, 0));
  if (auto condition = compiler::resolve_condition(cx, {.span = whole.span, .words = words}, 0, where)) {
    model::Rule& rule = rules.emplace_back();
    rule.action = abi::ActionId::allow;
    rule.condition = std::move(*condition);
  }
  for (const grammar::Diagnostic& one : diagnostics.all()) HAWSER_CHECK(!grammar::render(one, sources, 1).empty());
  HAWSER_CHECK(!model::dump(config).empty());
  const abi::Image program = compiler::finalise(compiler::lower(config));
  const std::string wrong = abi::verify(program.view());
  HAWSER_CHECK(wrong.empty());
  HAWSER_CHECK(test::run_all(program.view()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  // A file of patterns may be any file of this machine; a line ends at its end.
  if (text.find("-f") != std::string::npos || text.find('\n') != std::string::npos ||
      text.find('\0') != std::string::npos)
    return 0;
  read(text, (data[0] & 1) == 0 ? abi::EntryPoint::http_request : abi::EntryPoint::http_response);
  return 0;
}
