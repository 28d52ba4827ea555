// Native code for tests: made by hawser-jitc in a child, from descriptors as the loader gives them.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/base/check.h"

namespace hawser::test {

// An open memfd of these bytes, sealed or not.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes = {}, bool seal = false)
      : descriptor_(memfd_create("hawser-test", MFD_ALLOW_SEALING)) {
    HAWSER_CHECK(descriptor_ >= 0);
    HAWSER_CHECK(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    if (seal) this->seal();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  void seal() const {
    HAWSER_CHECK(fcntl(descriptor_, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)));
    HAWSER_CHECK(pread(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return bytes;
  }

 private:
  int descriptor_;
};

// Runs hawser-jitc on an image that may be anything, and gives its exit status (-1: it ended by a signal).
inline int run_jitc(const std::string& jitc, std::span<const std::byte> program, const MemoryFile& code,
                    std::vector<std::string> more = {}) {
  const MemoryFile source(program);
  std::vector<std::string> words{jitc, "--program", std::to_string(source.descriptor()), "--code",
                                 std::to_string(code.descriptor())};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  HAWSER_CHECK(posix_spawn(&child, jitc.c_str(), nullptr, nullptr, arguments.data(), environ) == 0);
  int status = 0;
  HAWSER_CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace hawser::test
