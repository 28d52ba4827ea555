// A list of patterns that readers see whole while one writer adds and removes: in chunks that are shared between the list and
// the snapshots that were made of it.
//
// A chunk's rows never change. It grows at its end, where no snapshot looks: each holds how many rows it sees. What is removed
// is left out of a new chunk that takes the old one's place. So adding or removing a pattern costs a chunk at most, whatever
// the length of the list, and a snapshot a pointer for each chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/kernels/matchers.h"
#include "runtime/kernels/patterns.h"

namespace hawser::tables {

// Patterns with their numbers, which grow from row to row. It owns their bytes, or shows those of an image that outlives it.
class PatternChunk {
 public:
  static constexpr std::uint32_t kRowsMax = 256;

  // Of an image: numbered from `first_number` on.
  PatternChunk(const kernels::SetView& rows, std::uint64_t first_number) noexcept;
  // An empty one with room for so many rows and bytes of text.
  PatternChunk(std::uint32_t rows, std::size_t bytes);

  bool has_room(std::size_t bytes) const noexcept { return size_ < room_ && bytes <= bytes_room_ - bytes_size_; }
  void append(std::uint64_t number, std::string_view text, const abi::Pattern& row, const kernels::Regex* regex);

  bool owned() const noexcept { return room_ > 0; }
  std::uint32_t size() const noexcept { return size_; }
  const abi::Pattern& row(std::uint32_t at) const noexcept { return rows_[at]; }
  std::string_view text(std::uint32_t at) const { return image_.text(rows_[at].text); }
  const kernels::Regex* regex(std::uint32_t at) const noexcept { return regexes_ == nullptr ? nullptr : &regexes_[at]; }
  std::uint64_t number(std::uint32_t at) const noexcept {
    return own_numbers_ == nullptr ? first_number_ + at : own_numbers_[at];
  }
  // The first `rows` of them, as matchers see a set.
  kernels::SetView view(std::uint32_t rows, abi::Match match, bool ignore_case) const noexcept;

 private:
  abi::ImageView image_;  // where the rows' texts are
  const abi::Pattern* rows_ = nullptr;
  const kernels::Regex* regexes_ = nullptr;
  std::uint64_t first_number_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;
  std::size_t bytes_size_ = 0;
  std::size_t bytes_room_ = 0;
  std::unique_ptr<abi::Pattern[]> own_rows_;
  std::unique_ptr<std::uint64_t[]> own_numbers_;
  std::unique_ptr<char[]> own_bytes_;
  std::vector<kernels::Regex> own_regexes_;  // never beyond what was reserved
};

class PatternRows {
 public:
  struct Part {
    std::shared_ptr<PatternChunk> chunk;
    std::uint32_t rows = 0;
  };

  // All of an image's rows, numbered from `first_number` on; without copying them.
  static PatternRows of_image(const kernels::SetView& rows, std::uint64_t first_number);

  // Numbers grow.
  void append(std::uint64_t number, std::string_view text, const kernels::ParsedPattern& pattern);
  bool erase(std::uint64_t number);
  // Copies what still stands in an image.
  void own();

  std::size_t size() const noexcept { return size_; }
  const std::vector<Part>& parts() const noexcept { return parts_; }

  template <class Visit>  // (chunk, row of it)
  void each(Visit visit) const {
    for (const Part& part : parts_) {
      for (std::uint32_t at = 0; at < part.rows; ++at) visit(*part.chunk, at);
    }
  }

 private:
  std::vector<Part> parts_;  // none is empty
  std::size_t size_ = 0;
};

}  // namespace hawser::tables
