#include "runtime/process/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

// Linux 6.3; Debian 12's headers do not have them yet.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace hawser::process {
namespace {

constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

}  // namespace

void OwnedDescriptor::reset() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Result<OwnedDescriptor> make_memory_file(const char* name, MemoryUse use) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = memfd_create(name, kFlags | (use == MemoryUse::code ? MFD_EXEC : MFD_NOEXEC_SEAL));
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, kFlags);  // an older kernel
  if (descriptor < 0) return Error::from_errno("memfd_create");
  return OwnedDescriptor(descriptor);
}

bool write_all(int descriptor, const void* data, std::size_t size) noexcept {
  const char* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t written = write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

Status seal(int descriptor) {
  if (fcntl(descriptor, F_ADD_SEALS, kSeals) != 0) return Error::from_errno("sealing");
  return Success();
}

bool is_sealed(int descriptor) noexcept {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & kSeals) == kSeals;
}

Result<abi::HeldImage> map_sealed(int descriptor) {
  if (!is_sealed(descriptor)) return Error{0, "the memory file is not sealed"};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return Error::from_errno("fstat");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return abi::HeldImage();
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return Error::from_errno("mmap");
  std::shared_ptr<const void> mapping(mapped, [size](const void* at) { munmap(const_cast<void*>(at), size); });
  return abi::HeldImage({static_cast<const std::byte*>(mapped), size}, std::move(mapping));
}

}  // namespace hawser::process
