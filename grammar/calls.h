// Calls as they are read from text: NAME or NAME(ARG,…), before they become syntax with spans.
//
// Arguments have quotes and escapes of their own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/expressions.h"

namespace hawser::grammar {

struct CallArgument {
  std::string text;
  std::size_t begin = 0, end = 0;  // with its quotes
};

struct CallText {
  std::string_view name;  // may be empty
  std::size_t begin = 0, end = 0;
  bool has_parentheses = false;
  bool closed = true;  // has its ')'
  std::vector<CallArgument> arguments;
};

// call,call,… : what the grammar takes from `text` at `begin`; the rest is the reader's.
struct CallChain {
  std::vector<CallText> calls;  // at least one
  std::size_t commas = 0;       // behind the last call
  std::size_t end = 0;          // behind the commas
};

// Collects the pieces of a chain. Knows no PEGTL.
class CallsBuilder {
 public:
  explicit CallsBuilder(std::string_view text) : text_(text) {}

  void name(std::string_view text);
  void open(std::string_view text);
  void argument(std::string_view text);  // the whole of one, after its pieces
  void plain(std::string_view text) { pending_ += text; }
  void escape(std::string_view text);
  void close(std::string_view text);
  void missing_close(std::string_view nothing);
  CallChain take(std::size_t end);

 private:
  std::size_t offset(std::string_view text) const noexcept {
    return static_cast<std::size_t>(text.data() - text_.data());
  }
  std::string_view text_;
  std::string pending_;  // of the argument that is being read
  CallChain chain_;
};

// The grammar (sample_parser.cpp). Takes what it can of text[at, …); never fails.
CallChain read_calls(std::string_view text, std::size_t at);
CallText read_call(std::string_view text, std::size_t at);
std::size_t analyze_sample();

// A sample within a longer word: from byte `at` to where the grammar stops, or to a mistake that is reported.
// In a format (`in_brackets`) the last comma must have a converter behind it.
struct SampleRead {
  SampleSyntax sample;
  std::size_t end = 0;
};
std::optional<SampleRead> read_sample(const Word& word, std::size_t at, bool in_brackets, Diagnostics& diagnostics);

}  // namespace hawser::grammar
