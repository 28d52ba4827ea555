#include "runtime/tables/pattern_rows.h"

#include <algorithm>
#include <cstring>

namespace hawser::tables {
namespace {

constexpr std::size_t kBytesPerRow = 32;
constexpr std::uint32_t kRowsFirst = 16;

// The rows of `part` but for one, in a chunk of its own. `but` beyond them: all.
PatternRows::Part copy(const PatternRows::Part& part, std::uint32_t but) {
  const PatternChunk& source = *part.chunk;
  std::size_t bytes = 0;
  for (std::uint32_t at = 0; at < part.rows; ++at) bytes += source.text(at).size();
  PatternRows::Part result{std::make_shared<PatternChunk>(part.rows, bytes), 0};
  for (std::uint32_t at = 0; at < part.rows; ++at) {
    if (at != but) result.chunk->append(source.number(at), source.text(at), source.row(at), source.regex(at));
  }
  result.rows = result.chunk->size();
  return result;
}

abi::Pattern row_of(const kernels::ParsedPattern& pattern) noexcept {
  abi::Pattern row;
  row.low = pattern.range.low;
  row.high = pattern.range.high;
  const IpAddress& address = pattern.network.address;
  std::memcpy(row.ip, address.bytes.data(), sizeof row.ip);
  if (address.family == IpAddress::Family::v4) row.ip_family = 4;
  if (address.family == IpAddress::Family::v6) row.ip_family = 6;
  row.prefix_bits = pattern.network.prefix_bits;
  return row;
}

}  // namespace

PatternChunk::PatternChunk(const kernels::SetView& rows, std::uint64_t first_number) noexcept
    : image_(*rows.image),
      rows_(rows.patterns.data()),
      regexes_(rows.expressions.empty() ? nullptr : rows.expressions.data()),
      first_number_(first_number),
      size_(static_cast<std::uint32_t>(rows.patterns.size())) {}

PatternChunk::PatternChunk(std::uint32_t rows, std::size_t bytes)
    : room_(rows),
      bytes_room_(bytes),
      own_rows_(std::make_unique<abi::Pattern[]>(rows)),
      own_numbers_(std::make_unique<std::uint64_t[]>(rows)),
      own_bytes_(std::make_unique<char[]>(bytes)) {
  image_ = abi::ImageView({reinterpret_cast<const std::byte*>(own_bytes_.get()), bytes});
  rows_ = own_rows_.get();
}

void PatternChunk::append(std::uint64_t number, std::string_view text, const abi::Pattern& row,
                          const kernels::Regex* regex) {
  HAWSER_CHECK(has_room(text.size()));
  if (!text.empty()) std::memcpy(own_bytes_.get() + bytes_size_, text.data(), text.size());
  own_rows_[size_] = row;
  own_rows_[size_].text = {static_cast<std::uint32_t>(bytes_size_), static_cast<std::uint32_t>(text.size())};
  own_numbers_[size_] = number;
  if (regex != nullptr) {
    own_regexes_.reserve(room_);
    own_regexes_.push_back(*regex);
    if (regexes_ == nullptr) regexes_ = own_regexes_.data();
  }
  bytes_size_ += text.size();
  ++size_;
}

kernels::SetView PatternChunk::view(std::uint32_t rows, abi::Match match, bool ignore_case) const noexcept {
  kernels::SetView view{&image_, {rows_, rows}, match, ignore_case};
  if (regexes_ != nullptr) view.expressions = {regexes_, rows};
  return view;
}

PatternRows PatternRows::of_image(const kernels::SetView& rows, std::uint64_t first_number) {
  PatternRows result;
  result.size_ = rows.patterns.size();
  for (std::size_t at = 0; at < rows.patterns.size(); at += PatternChunk::kRowsMax) {
    kernels::SetView some = rows;
    some.patterns = rows.patterns.subspan(at, std::min<std::size_t>(PatternChunk::kRowsMax, rows.patterns.size() - at));
    if (!rows.expressions.empty()) some.expressions = rows.expressions.subspan(at, some.patterns.size());
    auto chunk = std::make_shared<PatternChunk>(some, first_number + at);
    result.parts_.push_back({std::move(chunk), static_cast<std::uint32_t>(some.patterns.size())});
  }
  return result;
}

void PatternRows::append(std::uint64_t number, std::string_view text, const kernels::ParsedPattern& pattern) {
  if (parts_.empty() || !parts_.back().chunk->has_room(text.size())) {
    // A short list stays small; a long one has few chunks.
    const auto rows = static_cast<std::uint32_t>(std::clamp<std::size_t>(size_, kRowsFirst, PatternChunk::kRowsMax));
    parts_.push_back({std::make_shared<PatternChunk>(rows, std::max(rows * kBytesPerRow, text.size())), 0});
  }
  Part& last = parts_.back();
  last.chunk->append(number, text, row_of(pattern), pattern.regex ? &*pattern.regex : nullptr);
  last.rows = last.chunk->size();
  ++size_;
}

bool PatternRows::erase(std::uint64_t number) {
  const auto part = std::partition_point(parts_.begin(), parts_.end(),
                                         [&](const Part& each) { return each.chunk->number(each.rows - 1) < number; });
  if (part == parts_.end()) return false;
  std::uint32_t at = 0;
  while (part->chunk->number(at) < number) ++at;
  if (part->chunk->number(at) != number) return false;
  if (part->rows == 1) {
    parts_.erase(part);
  } else {
    *part = copy(*part, at);
  }
  --size_;
  return true;
}

void PatternRows::own() {
  for (Part& part : parts_) {
    if (!part.chunk->owned()) part = copy(part, part.rows);
  }
}

}  // namespace hawser::tables
