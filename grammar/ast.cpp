// Texts into trees, and trees into text.
#include "grammar/ast.h"

#include <fmt/format.h>

#include <iterator>

#include "grammar/lines_builder.h"

namespace hawser::grammar::ast {

File parse(FileId file, const Sources& sources, Diagnostics& diagnostics) {
  File tree{file, {}};
  std::string_view rest = sources.text(file);
  while (!rest.empty()) {
    const std::size_t lf = rest.find('\n');
    const std::string_view text = rest.substr(0, lf == std::string_view::npos ? rest.size() : lf + 1);
    rest.remove_prefix(text.size());
    Line& line = tree.lines.emplace_back();
    line.span = {file, static_cast<std::uint32_t>(tree.lines.size()), 0, 0};
    LineBuilder builder(line, text, diagnostics);
    read_line(text, builder);
    builder.finish();
  }
  return tree;
}

std::string print(const File& file) {
  std::string out;
  for (const Line& line : file.lines) {
    for (std::size_t i = 0; i < line.gaps.size(); ++i) {
      out += line.gaps[i];
      if (i == line.words.size()) break;
      for (const Segment& segment : line.words[i].segments) out += segment.text;
    }
    out += line.comment;
    out += line.terminator;
  }
  return out;
}

namespace {

std::string_view kind_name(const Segment& segment) {
  switch (segment.kind) {
    case SegmentKind::plain: return segment.quoted ? "quoted" : "plain";
    case SegmentKind::escape: return "escape";
    case SegmentKind::double_quote: return "double";
    case SegmentKind::single_quote: return "single";
    case SegmentKind::variable: return "variable";
    case SegmentKind::scope: return "scope";
  }
  return "";
}

}  // namespace

std::string dump(const File& file) {
  std::string out;
  const auto append = std::back_inserter(out);
  for (const Line& line : file.lines) {
    for (const Word& word : line.words) {
      fmt::format_to(append, "{}:{}", word.span.line, word.span.column);
      for (const Segment& segment : word.segments) fmt::format_to(append, " {} '{}'", kind_name(segment), segment.text);
      out += '\n';
    }
    if (!line.comment.empty())
      fmt::format_to(append, "{}:{} comment '{}'\n", line.span.line, line.span.length - line.comment.size(),
                     line.comment);
  }
  return out;
}

}  // namespace hawser::grammar::ast
