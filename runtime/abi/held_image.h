// An image together with what keeps its bytes: bytes of its own, or a file that is mapped.
#pragma once

#include <memory>
#include <span>

#include "runtime/abi/image.h"

namespace hawser::abi {

class HeldImage {
 public:
  HeldImage() = default;
  HeldImage(Image image) : own_(std::move(image)) {}  // NOLINT(google-explicit-constructor)
  // Bytes that stay where they are as long as `mapping` is held; aligned to 16 at least.
  HeldImage(std::span<const std::byte> bytes, std::shared_ptr<const void> mapping)
      : mapped_(bytes), mapping_(std::move(mapping)) {}

  ImageView view() const noexcept { return ImageView(bytes()); }
  std::span<const std::byte> bytes() const noexcept {
    return mapping_ ? mapped_ : std::span<const std::byte>(own_.bytes());
  }

 private:
  Image own_;
  std::span<const std::byte> mapped_;
  std::shared_ptr<const void> mapping_;
};

}  // namespace hawser::abi
