#include "runtime/process/title.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace hawser::process {

void set_title(const char* name, const char* words) noexcept {
  prctl(PR_SET_NAME, name);
  // The words of the command line stand one behind the other where the first one is; the system tells their size.
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char buffer[4096];
  std::size_t size = 0;
  for (ssize_t part; (part = read(file, buffer, sizeof buffer)) > 0;) size += static_cast<std::size_t>(part);
  close(file);
  if (size == 0) return;
  std::memset(program_invocation_name, 0, size);
  std::memcpy(program_invocation_name, words, std::min(size - 1, std::strlen(words)));
}

}  // namespace hawser::process
