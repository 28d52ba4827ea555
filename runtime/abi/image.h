// Flat, position-independent values: what the compiler hands to the runtime as one run of bytes.
//
// An image is bytes: a header, then plain rows that refer to each other by offsets from the image's start, and texts. It
// can be copied, written to a memfd, mapped anywhere and compared; nothing in it is a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/base/check.h"

namespace hawser::abi {

// A text of the image; `size` 0: empty.
struct Text {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

// An array of rows of the image.
template <class T>
struct Rows {
  std::uint32_t at = 0;
  std::uint32_t count = 0;
};

struct ImageHeader {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  std::uint32_t size = 0;  // of the whole image
  std::uint32_t root = 0;  // where the root row stands
};

// A read-only view of an image that somebody else keeps alive. Offsets are checked on every access: an image
// comes over a socket.
class ImageView {
 public:
  ImageView() = default;
  explicit ImageView(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::string_view text(Text text) const {
    HAWSER_CHECK(std::uint64_t{text.at} + text.size <= bytes_.size());
    return {reinterpret_cast<const char*>(bytes_.data()) + text.at, text.size};
  }
  template <class T>
  std::span<const T> rows(Rows<T> rows) const {
    static_assert(std::is_trivially_copyable_v<T>);
    HAWSER_CHECK(rows.at % alignof(T) == 0);
    HAWSER_CHECK(rows.at + std::uint64_t{rows.count} * sizeof(T) <= bytes_.size());
    return {reinterpret_cast<const T*>(bytes_.data() + rows.at), rows.count};
  }
  template <class Root>
  const Root& root() const {
    const auto& header = *rows(Rows<ImageHeader>{0, 1}).data();
    HAWSER_CHECK(header.magic == Root::kMagic);
    HAWSER_CHECK(header.version == Root::kVersion);
    return *rows(Rows<Root>{header.root, 1}).data();
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The bytes of an image and its view.
class Image {
 public:
  Image() = default;
  explicit Image(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  ImageView view() const noexcept { return ImageView(bytes_); }
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;  // operator new aligns to 16
};

class ImageBuilder {
 public:
  ImageBuilder() : bytes_(sizeof(ImageHeader)) {}

  // Equal texts share their bytes.
  Text text(std::string_view text);

  template <class T>
  Rows<T> rows(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    const std::size_t at = (bytes_.size() + alignof(T) - 1) & ~(alignof(T) - 1);
    bytes_.resize(at + values.size_bytes());
    std::memcpy(bytes_.data() + at, values.data(), values.size_bytes());
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(values.size())};
  }
  template <class T>
  Rows<T> rows(const std::vector<T>& values) {
    return rows(std::span<const T>(values));
  }

  template <class Root>
  Image finish(const Root& root) {
    const Rows<Root> at = rows(std::span<const Root>(&root, 1));
    HAWSER_CHECK(bytes_.size() <= 0xffff'ffff);
    const ImageHeader header{Root::kMagic, Root::kVersion, static_cast<std::uint32_t>(bytes_.size()), at.at};
    std::memcpy(bytes_.data(), &header, sizeof header);
    return Image(std::move(bytes_));
  }

 private:
  std::vector<std::byte> bytes_;
  std::map<std::string, Text, std::less<>> texts_;
};

}  // namespace hawser::abi
