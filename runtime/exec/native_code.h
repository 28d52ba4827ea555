// A code image mapped into this process: executable, and never writable.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/abi/native.h"
#include "runtime/base/result.h"

namespace hawser::exec {

class NativeCode {
 public:
  // Maps and verifies the image behind a descriptor of a sealed memfd: what was verified stays as it is. The descriptor
  // stays the caller's.
  static Result<std::unique_ptr<NativeCode>> map(int descriptor, const abi::ImageView& program);
  ~NativeCode();
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

  // Of a function of the Program, or of a further part of it.
  abi::NativeEntry entry(std::uint32_t function, std::uint32_t part = 0) const noexcept {
    const std::uint64_t row = part == 0 ? function : std::uint64_t{functions_[function].further} + part - 1;
    HAWSER_CHECK(row < functions_.size());
    // By way of a number: what is called is not what can be read only.
    return reinterpret_cast<abi::NativeEntry>(reinterpret_cast<std::uintptr_t>(image_.data() + functions_[row].at));
  }

  // For perf and gdb: where a function stands in this process, and its name if the image has names.
  std::size_t functions() const noexcept { return functions_.size(); }
  std::span<const std::byte> code(std::uint32_t function) const noexcept {
    return image_.subspan(functions_[function].at, functions_[function].size);
  }
  std::string_view name(std::uint32_t function) const noexcept {
    return abi::native_name(image_, functions_[function]);
  }
  const abi::NativeHeader& header() const noexcept { return abi::native_header(image_); }

 private:
  explicit NativeCode(std::span<const std::byte> image) noexcept : image_(image) {}
  std::span<const std::byte> image_;
  std::span<const abi::NativeFunction> functions_;
};

}  // namespace hawser::exec
