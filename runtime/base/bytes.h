// A growable run of bytes that is appended to without being zeroed first: what a message is written into.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace hawser {

class Bytes {
 public:
  // `count` more bytes, uninitialised; good until the next call.
  char* extend(std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    char* at = data_.get() + size_;
    size_ += count;
    return at;
  }
  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void clear() noexcept { size_ = 0; }  // keeps the memory
  void release() noexcept {
    data_.reset();
    size_ = capacity_ = 0;
  }
  const char* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::string_view view() const noexcept { return {data_.get(), size_}; }

 private:
  void grow(std::size_t least) {
    std::size_t capacity = capacity_ == 0 ? 512 : capacity_ * 2;
    if (capacity < least) capacity = least;
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace hawser
