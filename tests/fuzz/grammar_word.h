// What the grammar's fuzz targets share: words made of any bytes, and properties that hold for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/expressions.h"
#include "runtime/base/check.h"

namespace hawser::fuzz {

using namespace grammar;  // NOLINT(google-build-using-namespace)

// One source whose only line is the input.
struct Text {
  Text(const std::uint8_t* data, std::size_t size)
      : bytes(reinterpret_cast<const char*>(data), size), file(sources.add("fuzz", bytes)), diagnostics(sources) {}

  Word word() const {
    Word word{bytes, {file, 1, 0, static_cast<std::uint32_t>(bytes.size())}, {}, {}};
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      word.columns.push_back(i);
      word.ends.push_back(i + 1);
    }
    word.columns.push_back(static_cast<std::uint32_t>(bytes.size()));
    return word;
  }

  // A parser reports a mistake if and only if it returns nothing, and every message can be shown.
  void check(bool parsed) const {
    HAWSER_CHECK(parsed != diagnostics.has_fatal());
    for (const Diagnostic& one : diagnostics.all()) {
      HAWSER_CHECK(!render(one, sources, 1).empty());
      HAWSER_CHECK(!render_json(one, sources).empty());
    }
  }

  bool inside(const Span& span) const { return span.column + span.length <= bytes.size(); }

  std::string bytes;
  Sources sources;
  FileId file;
  Diagnostics diagnostics;
};

inline void check_call(const Call& call, const Text& text) {
  HAWSER_CHECK(!call.name.empty());
  HAWSER_CHECK(text.inside(call.span));
  HAWSER_CHECK(call.has_parentheses == !call.arguments.empty());
  for (const Argument& argument : call.arguments) {
    HAWSER_CHECK(text.inside(argument.span));
    HAWSER_CHECK(argument.text.size() <= argument.span.length);
  }
}

inline void check_sample(const SampleSyntax& sample, const Text& text) {
  check_call(sample.fetch, text);
  for (const Call& converter : sample.converters) check_call(converter, text);
}

}  // namespace hawser::fuzz
