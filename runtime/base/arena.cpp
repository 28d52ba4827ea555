#include "runtime/base/arena.h"

#include <algorithm>
#include <cstring>

namespace hawser {

char* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  if (!blocks_.empty()) {
    const std::size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes <= blocks_.back().size) {
      used_ = at + bytes;
      return blocks_.back().bytes.get() + at;
    }
  }
  const std::size_t size = std::max(bytes, block_bytes_);
  blocks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
  used_ = bytes;
  return blocks_.back().bytes.get();
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* bytes = allocate(text.size());
  std::memcpy(bytes, text.data(), text.size());
  return {bytes, text.size()};
}

void Arena::reset() noexcept {
  if (blocks_.size() > 1) blocks_.resize(1);
  if (!blocks_.empty() && blocks_.front().size > block_bytes_) blocks_.clear();
  used_ = 0;
}

void Arena::release() noexcept {
  blocks_.clear();
  used_ = 0;
}

std::size_t Arena::bytes_held() const noexcept {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.size;
  return sum;
}

}  // namespace hawser
