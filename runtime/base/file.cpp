#include "runtime/base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hawser {

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error::from_errno(path);
  std::string text;
  std::array<char, 65536> chunk;
  ssize_t count = 0;
  while (text.size() <= bytes_max && (count = ::read(descriptor, chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  const int error = errno;
  ::close(descriptor);
  if (count < 0) return Error::from_errno(path, error);
  if (text.size() > bytes_max) return Error::from_errno(path, EFBIG);
  return text;
}

}  // namespace hawser
