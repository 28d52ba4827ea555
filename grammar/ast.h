// The lossless tree of a configuration file: every byte of it is in exactly one segment.
//
// Words are unexpanded here: quotes, escapes and variables stand as they were written. Expansion is the
// Reader's (reader.h), since `setenv` and `.if` act on the words of the lines that follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostics.h"
#include "grammar/source.h"

namespace hawser::grammar::ast {

enum class SegmentKind : std::uint8_t {
  plain,         // bytes that stand for themselves, also inside quotes; so does the \ of an unknown escape
  escape,        // \x41, "\ ", \\ …
  double_quote,  // an opening or closing "
  single_quote,  // an opening or closing '
  variable,      // $NAME or ${NAME…}, inside double quotes only
  scope,         // the whole of a line that begins with '[': it opens a scope of SPOE files
};

struct Segment {
  SegmentKind kind = SegmentKind::plain;
  bool quoted = false;    // inside quotes of either kind
  std::string_view text;  // of the source
  std::uint32_t column = 0;
};

struct Word {
  Span span;  // with its quotes
  std::vector<Segment> segments;
};

// blanks word blanks word … comment terminator: `gaps[i]` stands before `words[i]`, and the last gap before
// the comment or the terminator, so that there is one gap more than words.
struct Line {
  Span span;  // without the terminator
  std::vector<Word> words;
  std::vector<std::string_view> gaps;
  std::string_view comment;     // with its '#'; also what follows a stray CR or NUL, which ends the content
  std::string_view terminator;  // "\n", "\r\n", or "" at the end of a file that lacks it
  bool broken = false;          // a mistake in it has been reported: its words mean nothing
};

struct File {
  FileId file;
  std::vector<Line> lines;
};

// Reads one text. Unmatched quotes, stray NULs, a missing last newline and bad \x escapes are reported with
// HAProxy's texts; the tree covers the text all the same.
File parse(FileId file, const Sources& sources, Diagnostics& diagnostics);

// Gives the file back, byte for byte.
std::string print(const File& file);

// The form of --dump=words: one line a word, "LINE:COLUMN kind 'text' …".
std::string dump(const File& file);

}  // namespace hawser::grammar::ast
