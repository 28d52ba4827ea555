// The receive buffers of one ring: slabs of equal buffers, numbered from 0, that are never given back to the
// system. The memory of a buffer is touched when it is first used, so an idle pool costs address space only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace hawser::io {

// Invariant: every id below count() is free (once in `free_`), or somebody holds it.
class BufferPool {
 public:
  // `buffers` make a slab; at most `buffers_max` (65536 at most) exist.
  BufferPool(std::uint32_t buffer_bytes, std::uint32_t buffers, std::uint32_t buffers_max);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Adds a slab of free buffers; false when the bound is reached or the system has no memory.
  bool grow() noexcept;

  // The buffer that was freed last, for it is warm. Only when free_count() > 0.
  std::uint32_t take() noexcept {
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void put(std::uint32_t id) noexcept { free_.push_back(id); }

  // For AddressSanitizer: bytes of a buffer that nobody may read.
  void hide(std::uint32_t id) noexcept;
  void show(std::uint32_t id) noexcept;

  char* data(std::uint32_t id) noexcept {
    return slabs_[id >> slab_bits_] + std::size_t{id & ((1u << slab_bits_) - 1)} * buffer_bytes_;
  }
  std::uint32_t buffer_bytes() const noexcept { return buffer_bytes_; }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(slabs_.size()) << slab_bits_; }
  std::uint32_t count_max() const noexcept { return slabs_max_ << slab_bits_; }
  std::uint32_t free_count() const noexcept { return static_cast<std::uint32_t>(free_.size()); }

 private:
  std::size_t slab_bytes() const noexcept { return std::size_t{buffer_bytes_} << slab_bits_; }
  std::uint32_t buffer_bytes_;
  std::uint32_t slab_bits_;
  std::uint32_t slabs_max_;
  std::vector<char*> slabs_;
  std::vector<std::uint32_t> free_;  // room for all of them from the start: put() never allocates
};

}  // namespace hawser::io
