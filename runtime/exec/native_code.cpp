#include "runtime/exec/native_code.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace hawser::exec {

Result<std::unique_ptr<NativeCode>> NativeCode::map(int descriptor, const abi::ImageView& program) {
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) return Error{0, "the code is not sealed"};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return Error::from_errno("the code");
  if (status.st_size == 0) return Error{0, "the code has no header"};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return Error::from_errno("the code cannot be mapped");
  std::unique_ptr<NativeCode> code(new NativeCode({static_cast<const std::byte*>(mapped), size}));
  if (std::string wrong = abi::verify_native(code->image_, program); !wrong.empty()) return Error{0, std::move(wrong)};
  code->functions_ = abi::native_functions(code->image_);
  return code;
}

NativeCode::~NativeCode() { munmap(const_cast<std::byte*>(image_.data()), image_.size()); }

}  // namespace hawser::exec
