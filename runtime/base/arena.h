// Memory that is given back all at once: what lives as long as one exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace hawser {

// A bump allocator over a few blocks. `reset` keeps the first block, so that an exchange after the
// first allocates nothing in the steady state. What it hands out is never destroyed: trivial types only.
class Arena {
 public:
  explicit Arena(std::size_t block_bytes = 4096) noexcept : block_bytes_(block_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  // Uninitialised bytes; `alignment` a power of two of at most 16.
  char* allocate(std::size_t bytes, std::size_t alignment = 1);

  // A copy that lives until `reset`.
  std::string_view copy(std::string_view text);

  // Gives everything back; views into the arena are dead.
  void reset() noexcept;

  // Also gives the first block back: for an owner that goes idle for long.
  void release() noexcept;

  std::size_t bytes_held() const noexcept;

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::size_t block_bytes_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace hawser
