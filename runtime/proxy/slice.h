// Bytes on their way, without copying: a slice is a view into memory that somebody keeps alive for it. What was
// received goes back to the ring when the last slice of it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/bytes.h"
#include "runtime/io/ring.h"

namespace hawser::proxy {

class ChunkPool;

// The memory behind slices: a receive buffer of the ring, or bytes that we wrote. Counted by its slices; of one
// worker, so the count is a plain number.
struct Chunk {
  static constexpr std::size_t kSmallBytes = 24;
  enum class Kind : std::uint8_t { received, written, small };
  Kind kind = Kind::received;
  std::uint32_t references = 0;
  ChunkPool* pool = nullptr;
  Chunk* next_free = nullptr;
  io::Buffer buffer;        // received
  Bytes bytes;              // written
  char small[kSmallBytes];  // small: the framing around a run of a body
};

class Slice {
 public:
  Slice() noexcept = default;
  Slice(Chunk* chunk, std::string_view view) noexcept;
  Slice(Slice&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)), view_(std::exchange(other.view_, {})) {}
  Slice& operator=(Slice&& other) noexcept;
  ~Slice() { forget(); }
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  // Of bytes that outlive every slice of them.
  static Slice constant(std::string_view text) noexcept { return Slice(nullptr, text); }

  std::string_view view() const noexcept { return view_; }
  std::size_t size() const noexcept { return view_.size(); }
  bool empty() const noexcept { return view_.empty(); }
  void drop_front(std::size_t count) noexcept { view_.remove_prefix(count); }
  // Another slice of the same memory. `part` lies within it.
  Slice part(std::string_view part) const noexcept { return Slice(chunk_, part); }

 private:
  void forget() noexcept;
  Chunk* chunk_ = nullptr;
  std::string_view view_;
};

// One a worker. Chunks are never given back to the system; what they hold is.
class ChunkPool {
 public:
  explicit ChunkPool(io::Ring& ring) noexcept : ring_(ring) {}
  ~ChunkPool();
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  Slice received(const io::Buffer& buffer) noexcept;
  // A copy of up to Chunk::kSmallBytes.
  Slice small(std::string_view text) noexcept;
  // A copy of any size.
  Slice copy(std::string_view text) noexcept;
  // An empty chunk to write into; `finish` makes the slice of all that was written, and must be called.
  Chunk& begin_writing() noexcept { return take(Chunk::Kind::written); }
  static Slice finish(Chunk& chunk) noexcept { return Slice(&chunk, chunk.bytes.view()); }

 private:
  friend class Slice;
  static constexpr std::size_t kKeptBytesMax = 4096;  // a larger written chunk loses its memory
  Chunk& take(Chunk::Kind kind) noexcept;
  void give_back(Chunk& chunk) noexcept;

  io::Ring& ring_;
  Chunk* free_ = nullptr;          // without memory of their own
  Chunk* free_written_ = nullptr;  // with
};

// First in, first out.
class SliceQueue {
 public:
  bool empty() const noexcept { return at_ == items_.size(); }
  std::size_t count() const noexcept { return items_.size() - at_; }
  std::size_t bytes() const noexcept { return bytes_; }
  Slice& front() noexcept { return items_[at_]; }
  void push(Slice slice) {
    if (slice.empty()) return;
    bytes_ += slice.size();
    items_.push_back(std::move(slice));
  }
  void push_front(Slice slice);
  Slice pop() noexcept;
  void drop_front(std::size_t count) noexcept;  // of the front slice's bytes
  void clear() noexcept;

 private:
  std::vector<Slice> items_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace hawser::proxy
