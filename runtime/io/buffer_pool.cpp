#include "runtime/io/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "runtime/base/check.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace hawser::io {

BufferPool::BufferPool(std::uint32_t buffer_bytes, std::uint32_t buffers, std::uint32_t buffers_max)
    : buffer_bytes_(buffer_bytes) {
  HAWSER_CHECK(buffer_bytes > 0);
  HAWSER_CHECK(buffers > 0);
  HAWSER_CHECK(buffers_max <= 65536);
  slab_bits_ = static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(buffers))) - 1;
  slabs_max_ = std::max(1u, buffers_max >> slab_bits_);
  slabs_.reserve(slabs_max_);
  free_.reserve(count_max());
}

BufferPool::~BufferPool() {
  for (std::uint32_t id = 0; id < count(); ++id) show(id);
  for (char* slab : slabs_) munmap(slab, slab_bytes());
}

bool BufferPool::grow() noexcept {
  if (slabs_.size() == slabs_max_) return false;
  void* slab = mmap(nullptr, slab_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slab == MAP_FAILED) return false;
  const std::uint32_t first = count();
  slabs_.push_back(static_cast<char*>(slab));
  for (std::uint32_t id = count(); id-- > first;) {
    hide(id);
    put(id);
  }
  return true;
}

void BufferPool::hide([[maybe_unused]] std::uint32_t id) noexcept {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(data(id), buffer_bytes_);
#endif
}

void BufferPool::show([[maybe_unused]] std::uint32_t id) noexcept {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(data(id), buffer_bytes_);
#endif
}

}  // namespace hawser::io
