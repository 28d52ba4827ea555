#include "runtime/proxy/slice.h"

#include <cstring>

#include "runtime/base/check.h"

namespace hawser::proxy {

Slice::Slice(Chunk* chunk, std::string_view view) noexcept : chunk_(chunk), view_(view) {
  if (chunk_ != nullptr) ++chunk_->references;
}

Slice& Slice::operator=(Slice&& other) noexcept {
  if (this != &other) {
    forget();
    chunk_ = std::exchange(other.chunk_, nullptr);
    view_ = std::exchange(other.view_, {});
  }
  return *this;
}

void Slice::forget() noexcept {
  if (chunk_ == nullptr) return;
  HAWSER_DCHECK(chunk_->references > 0);
  if (--chunk_->references == 0) chunk_->pool->give_back(*chunk_);
  chunk_ = nullptr;
}

ChunkPool::~ChunkPool() {
  for (Chunk* list : {free_, free_written_}) {
    while (list != nullptr) delete std::exchange(list, list->next_free);
  }
}

Chunk& ChunkPool::take(Chunk::Kind kind) noexcept {
  Chunk*& list = kind == Chunk::Kind::written && free_written_ != nullptr ? free_written_ : free_;
  Chunk* chunk = list;
  if (chunk != nullptr) {
    list = chunk->next_free;
  } else {
    chunk = new Chunk;
    chunk->pool = this;
  }
  chunk->kind = kind;
  chunk->references = 0;
  return *chunk;
}

void ChunkPool::give_back(Chunk& chunk) noexcept {
  if (chunk.kind == Chunk::Kind::received) ring_.release(chunk.buffer);
  Chunk** list = &free_;
  if (chunk.kind == Chunk::Kind::written) {
    if (chunk.bytes.size() > kKeptBytesMax) {
      chunk.bytes.release();
    } else {
      chunk.bytes.clear();
      list = &free_written_;
    }
  }
  chunk.next_free = *list;
  *list = &chunk;
}

Slice ChunkPool::received(const io::Buffer& buffer) noexcept {
  Chunk& chunk = take(Chunk::Kind::received);
  chunk.buffer = buffer;
  return Slice(&chunk, buffer.view());
}

Slice ChunkPool::small(std::string_view text) noexcept {
  HAWSER_DCHECK(text.size() <= Chunk::kSmallBytes);
  Chunk& chunk = take(Chunk::Kind::small);
  std::memcpy(chunk.small, text.data(), text.size());
  return Slice(&chunk, {chunk.small, text.size()});
}

Slice ChunkPool::copy(std::string_view text) noexcept {
  Chunk& chunk = begin_writing();
  chunk.bytes.append(text);
  return finish(chunk);
}

void SliceQueue::push_front(Slice slice) {
  if (slice.empty()) return;
  bytes_ += slice.size();
  if (at_ > 0) {
    items_[--at_] = std::move(slice);
  } else {
    items_.insert(items_.begin(), std::move(slice));
  }
}

Slice SliceQueue::pop() noexcept {
  Slice slice = std::move(items_[at_++]);
  bytes_ -= slice.size();
  if (at_ == items_.size()) {
    items_.clear();
    at_ = 0;
  } else if (at_ >= 64) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  }
  return slice;
}

void SliceQueue::drop_front(std::size_t count) noexcept {
  HAWSER_DCHECK(count <= front().size());
  bytes_ -= count;
  front().drop_front(count);
  if (front().empty()) pop();
}

void SliceQueue::clear() noexcept {
  items_.clear();
  at_ = 0;
  bytes_ = 0;
}

}  // namespace hawser::proxy
