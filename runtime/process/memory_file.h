// Files without a name (memfds): what a job of the loader hands back. Sealed, they can neither change nor shrink under
// the process that maps them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "runtime/abi/held_image.h"
#include "runtime/base/result.h"

namespace hawser::process {

// A descriptor that is closed with its owner.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  ~OwnedDescriptor() { reset(); }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }

  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  void reset() noexcept;

 private:
  int descriptor_ = -1;
};

enum class MemoryUse : unsigned char { data, code };

// An empty file, closed on exec. What is `data` can never be made executable, where the kernel knows how to promise this.
Result<OwnedDescriptor> make_memory_file(const char* name, MemoryUse use);

// False, with errno, when not all could be written.
bool write_all(int descriptor, const void* data, std::size_t size) noexcept;

// Its bytes and its size are final: possible once no writable mapping of it exists.
Status seal(int descriptor);
bool is_sealed(int descriptor) noexcept;

// The file's bytes, mapped and not copied; the descriptor is not needed any longer. Only of a sealed file.
Result<abi::HeldImage> map_sealed(int descriptor);

}  // namespace hawser::process
