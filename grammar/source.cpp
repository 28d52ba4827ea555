// Configuration texts, and the way from a line number to its bytes.
#include "grammar/source.h"

#include <algorithm>
#include <utility>

namespace hawser::grammar {

Span cover(const Span& a, const Span& b) noexcept {
  if (!a.valid() || a.file != b.file || a.line != b.line) return a.valid() ? a : b;
  const std::uint32_t begin = std::min(a.column, b.column);
  const std::uint32_t end = std::max(a.column + a.length, b.column + b.length);
  return {a.file, a.line, begin, end - begin};
}

FileId Sources::add(std::string name, std::string text) {
  files_.push_back(std::make_unique<File>(File{std::move(name), std::move(text), {}}));
  return FileId(static_cast<std::uint32_t>(files_.size() - 1));
}

std::string_view Sources::name(FileId file) const {
  return file.index < files_.size() ? std::string_view(files_[file.index]->name) : std::string_view();
}

std::string_view Sources::text(FileId file) const {
  return file.index < files_.size() ? std::string_view(files_[file.index]->text) : std::string_view();
}

std::string_view Sources::line(FileId file, std::uint32_t line) const {
  if (file.index >= files_.size() || line == 0) return {};
  const File& one = *files_[file.index];
  if (one.line_starts.empty()) {
    one.line_starts.push_back(0);
    for (std::size_t at = one.text.find('\n'); at != std::string::npos; at = one.text.find('\n', at + 1)) {
      one.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
    }
  }
  if (line > one.line_starts.size()) return {};
  const std::string_view rest = std::string_view(one.text).substr(one.line_starts[line - 1]);
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

}  // namespace hawser::grammar
