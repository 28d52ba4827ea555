// Messages as text: HAProxy's line, the source line with its caret, labels; and as JSON.
#include <algorithm>
#include <cstddef>

#include "grammar/diagnostics.h"

namespace hawser::grammar {

namespace {

constexpr std::size_t kShownBytesMax = 100;    // of a source line
constexpr std::size_t kBeforeCaretBytes = 60;  // kept before the caret when a line is clipped

// Measured: "[NOTICE]   (", "[WARNING]  (", "[ALERT]    (".
std::string_view level_name(Level level) {
  switch (level) {
    case Level::alert: return "ALERT";
    case Level::warning: return "WARNING";
    case Level::notice: return "NOTICE";
    case Level::diag: return "DIAG";
  }
  return "";
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::parsing: return "parsing";
    case Origin::tokens: return "tokens";
    case Origin::config: return "config";
    case Origin::process: return "process";
    case Origin::late: return "late";
    case Origin::server: return "server";
  }
  return "";
}

std::string place(const Span& span, const Sources& sources) {
  return fmt::format("[{}:{}]", sources.name(span.file), span.line);
}

std::string origin_prefix(const Diagnostic& diagnostic, const Sources& sources) {
  if (diagnostic.origin == Origin::process) return "";
  if (!diagnostic.span.valid()) return "config : ";
  switch (diagnostic.origin) {
    case Origin::process: return "";
    case Origin::config: return "config : ";
    case Origin::parsing: return fmt::format("config : parsing {} : ", place(diagnostic.span, sources));
    case Origin::tokens: return fmt::format("config : parsing {}: ", place(diagnostic.span, sources));
    case Origin::late: return fmt::format("config : Parsing {}: ", place(diagnostic.span, sources));
    case Origin::server: return fmt::format("config : {} : ", place(diagnostic.span, sources));
  }
  return "";
}

// As haproxy 2.6 shows lines: one column a byte, '?' for what is not printable ASCII.
bool printable(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte < 0x7f);
}

// The part of a line that is shown, and where the caret stands in it.
struct Excerpt {
  std::string text;
  std::size_t caret = 0;
  std::size_t caret_bytes = 1;
  bool clipped_left = false, clipped_right = false;
};

Excerpt excerpt(std::string_view line, const Span& span) {
  Excerpt shown;
  const std::size_t column = std::min<std::size_t>(span.column, line.size());
  std::size_t begin = 0;
  std::size_t end = line.size();
  if (line.size() > kShownBytesMax) {
    begin = column > kBeforeCaretBytes ? column - kBeforeCaretBytes : 0;
    end = std::min(line.size(), begin + kShownBytesMax);
    if (end - begin < kShownBytesMax) begin = end - kShownBytesMax;
  }
  shown.clipped_left = begin > 0;
  shown.clipped_right = end < line.size();
  shown.text = line.substr(begin, end - begin);
  for (char& c : shown.text) {
    if (!printable(c)) c = '?';
  }
  shown.caret = column - begin;
  const std::size_t room = end > column ? end - column : 1;
  shown.caret_bytes = std::max<std::size_t>(1, std::min<std::size_t>(span.length, room));
  return shown;
}

// Blanks as wide as `text` on the screen: tabs stay tabs.
std::string blanks_below(std::string_view text) {
  std::string blanks(text);
  for (char& c : blanks) c = c == '\t' ? '\t' : ' ';
  return blanks;
}

// "    2 |     http-request dney if x" and "      |                  ^~~~ note"
std::string caret_block(const Span& span, std::string_view note, const Sources& sources) {
  const std::string_view line = sources.line(span.file, span.line);
  const Excerpt shown = excerpt(line, span);
  const std::string_view left = shown.clipped_left ? "..." : "";
  std::string block = fmt::format("{:5} | {}{}{}\n", span.line, left, shown.text, shown.clipped_right ? "..." : "");
  block += fmt::format("      | {}{}^{}", std::string(left.size(), ' '),
                       blanks_below(std::string_view(shown.text).substr(0, shown.caret)),
                       std::string(shown.caret_bytes - 1, '~'));
  if (!note.empty()) block += fmt::format(" {}", note);
  block += '\n';
  return block;
}

bool has_line(const Span& span, const Sources& sources) {
  return span.valid() && span.line > 0 && !sources.line(span.file, span.line).empty();
}

// The bytes of the UTF-8 character at the start of `text`; 0 when it is none.
std::size_t utf8_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80   ? 1
                            : first < 0xc2 ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  std::uint32_t point = bytes == 1 ? first : first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return 0;
    point = (point << 6) | (next & 0x3fU);
  }
  const bool overlong = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return overlong || surrogate || point > 0x10ffff ? 0 : bytes;
}

// What is no UTF-8 becomes U+FFFD, so that the output is JSON whatever the file holds.
std::string json_span(const Span& span, const Sources& sources) {
  return fmt::format(R"({{"file":{},"line":{},"column":{},"length":{}}})", json_string(sources.name(span.file)),
                     span.line, span.column, span.length);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_bytes(text);
    const char c = text[0];
    if (bytes == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out + '"';
}

std::string render(const Diagnostic& diagnostic, const Sources& sources, int pid) {
  std::string out;
  const std::string_view name = level_name(diagnostic.level);
  if (pid == 0) {
    out = fmt::format("[{}] ", name);
  } else {
    out = fmt::format("{:<10} ({}) : ", fmt::format("[{}]", name), pid);
  }
  out += origin_prefix(diagnostic, sources);
  out += diagnostic.text;
  if (out.back() != '\n') out += '\n';
  const bool shows_line = has_line(diagnostic.span, sources);
  if (shows_line) {
    out += caret_block(diagnostic.span, diagnostic.hint, sources);
  } else if (!diagnostic.hint.empty()) {
    out += fmt::format("      = {}\n", diagnostic.hint);
  }
  for (const Label& label : diagnostic.labels) {
    if (label.span.valid() && label.span.file != diagnostic.span.file) {
      out += fmt::format("      > {}\n", sources.name(label.span.file));
    }
    if (has_line(label.span, sources)) {
      out += caret_block(label.span, label.text, sources);
    } else {
      out += fmt::format("      = {}\n", label.text);
    }
  }
  return out;
}

std::string render_json(const Diagnostic& diagnostic, const Sources& sources) {
  std::string level(level_name(diagnostic.level));
  for (char& c : level) c = static_cast<char>(c | 0x20);
  std::string out = fmt::format(R"({{"level":"{}","origin":"{}","fatal":{},"unsupported":{},"text":{})", level,
                                origin_name(diagnostic.origin), diagnostic.fatal, diagnostic.unsupported,
                                json_string(diagnostic.text));
  if (diagnostic.span.valid()) out += fmt::format(R"(,"at":{})", json_span(diagnostic.span, sources));
  if (!diagnostic.hint.empty()) out += fmt::format(R"(,"hint":{})", json_string(diagnostic.hint));
  if (!diagnostic.labels.empty()) {
    out += R"(,"labels":[)";
    for (std::size_t i = 0; i < diagnostic.labels.size(); ++i) {
      const Label& label = diagnostic.labels[i];
      out += fmt::format(R"({}{{"text":{}{}}})", i == 0 ? "" : ",", json_string(label.text),
                         label.span.valid() ? fmt::format(R"(,"at":{})", json_span(label.span, sources)) : "");
    }
    out += ']';
  }
  return out + "}\n";
}

}  // namespace hawser::grammar
