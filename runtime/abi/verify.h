// What both verifiers share: looking at rows and texts of an image that may be damaged.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/abi/program.h"

namespace hawser::abi {

// Remembers the first thing that is wrong. Nothing is read that was not checked to lie within the image.
class ImageChecker {
 public:
  explicit ImageChecker(const ImageView& image) : image_(image) {}

  bool ok() const noexcept { return error_.empty(); }
  const std::string& error() const noexcept { return error_; }

  template <class... Args>
  bool expect(bool condition, fmt::format_string<Args...> text, Args&&... args) {
    if (!condition && error_.empty()) error_ = fmt::format(text, std::forward<Args>(args)...);
    return condition;
  }

  // Header and root; null when they are wrong.
  template <class Root>
  const Root* root() {
    const auto bytes = image_.bytes();
    ImageHeader header;
    if (!expect(bytes.size() >= sizeof header, "the image has no header")) return nullptr;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (!expect(header.magic == Root::kMagic, "the image is of another kind")) return nullptr;
    if (!expect(header.version == Root::kVersion, "the image has version {}", header.version)) return nullptr;
    if (!expect(header.size == bytes.size(), "the image has {} bytes instead of {}", bytes.size(), header.size))
      return nullptr;
    const Rows<Root> rows{header.root, 1};
    return inside(rows, "root") ? image_.rows(rows).data() : nullptr;
  }

  template <class T>
  bool inside(Rows<T> rows, std::string_view what) {
    const auto base = reinterpret_cast<std::uintptr_t>(image_.bytes().data());
    return expect((base + rows.at) % alignof(T) == 0 && rows.at % alignof(T) == 0 &&
                      rows.at + std::uint64_t{rows.count} * sizeof(T) <= image_.bytes().size(),
                  "{} lies outside of the image", what);
  }
  bool inside(Text text, std::string_view what) {
    return expect(std::uint64_t{text.at} + text.size <= image_.bytes().size(), "{} lies outside of the image", what);
  }
  // The byte of a bool may be anything in a damaged image, and only 0 and 1 may be read as one.
  bool is_bool(const bool& value, std::string_view what) {
    unsigned char byte = 0;
    std::memcpy(&byte, &value, 1);
    return expect(byte <= 1, "{} is no truth value", what);
  }
  template <class E>
  bool below(E value, E count, std::string_view what) {
    return expect(value < count, "{} {} is unknown", what, static_cast<std::uint64_t>(value));
  }

 private:
  const ImageView& image_;
  std::string error_;
};

// Parts of the verification of a function, whose steps were checked one by one: every selector begins in one place,
// whose steps `jump` stand behind each jump_found; every loop ends.
bool verify_selectors(ImageChecker& check, const Function& function, std::span<const Step> steps);
bool verify_loops(ImageChecker& check, std::span<const Step> steps);

// How many cases each selector of a function has; 0 where it does not begin.
std::vector<std::uint32_t> selector_counts(const Function& function, std::span<const Step> steps);

}  // namespace hawser::abi
