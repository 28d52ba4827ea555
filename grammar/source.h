// Configuration texts, and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/id.h"

namespace hawser::grammar {

using FileId = Id<struct FileTag>;

// A stretch of one line: `line` counts from 1 (0: the whole file), `column` from 0, both in bytes.
struct Span {
  FileId file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;

  bool valid() const noexcept { return file.valid(); }
  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both; `a` alone when they stand on different lines.
Span cover(const Span& a, const Span& b) noexcept;

// All texts of one configuration, in the order in which they were given. Texts do not move: views into
// them live as long as this object.
class Sources {
 public:
  FileId add(std::string name, std::string text);
  std::string_view name(FileId file) const;
  std::string_view text(FileId file) const;
  // A line without its terminator; empty when there is no such line.
  std::string_view line(FileId file, std::uint32_t line) const;
  std::size_t size() const noexcept { return files_.size(); }

 private:
  struct File {
    std::string name;
    std::string text;
    mutable std::vector<std::uint32_t> line_starts;  // filled on first use
  };
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace hawser::grammar
