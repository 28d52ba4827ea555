// Carries out lines: begins sections, finds the row of each keyword, and calls its lowering.
#pragma once

#include <string>

#include "compiler/keywords/context.h"
#include "grammar/reader.h"

namespace hawser::compiler {

// One for a file: a file begins outside all sections.
class SectionReader {
 public:
  explicit SectionReader(ReadContext& cx) : cx_(cx) {}

  void read(const grammar::Line& line);
  // The section's name, or its keyword when it has none: what `${.SECTION}` stands for.
  const std::string& section_keyword() const noexcept { return section_keyword_; }

 private:
  bool begin_section(const grammar::Line& line);
  void read_keyword(const grammar::Line& line);

  ReadContext& cx_;
  std::string section_keyword_;
  bool skipping_ = false;  // in a section that was refused, or whose line was wrong
};

// The lines `global`, `defaults`, `frontend`, `backend`, `listen` (sections.cpp). False: nothing was begun, after a message.
bool begin_global(ReadContext& cx, const grammar::Line& line);
bool begin_proxy(ReadContext& cx, const grammar::Line& line, model::Proxy::Kind kind);

}  // namespace hawser::compiler
