// Sample expressions. Holds: a sample or a message; every part lies in the text; a sample printed from its parts
// with quoted arguments reads the same again.
#include "tests/fuzz/grammar_word.h"

namespace {

void print(const hawser::grammar::Call& call, std::string& out) {
  out += call.name;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    out += i == 0 ? "(\"" : ",\"";
    for (const char c : call.arguments[i].text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  if (call.has_parentheses) out += ')';
}

std::string print(const hawser::grammar::SampleSyntax& sample) {
  std::string out;
  print(sample.fetch, out);
  for (const auto& converter : sample.converters) print(converter, out += ',');
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::fuzz;  // NOLINT(google-build-using-namespace)
  Text text(data, size);
  const auto sample = parse_sample(text.word(), text.diagnostics);
  text.check(sample.has_value());
  if (!sample) return 0;
  check_sample(*sample, text);
  const std::string printed = print(*sample);
  Text again(reinterpret_cast<const std::uint8_t*>(printed.data()), printed.size());
  const auto same = parse_sample(again.word(), again.diagnostics);
  HAWSER_CHECK(same.has_value());
  HAWSER_CHECK(print(*same) == printed);
  return 0;
}
