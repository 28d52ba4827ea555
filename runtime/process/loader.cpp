// The child writes into a memfd that the parent made: a header, then the two images and the addresses.
#include "runtime/process/loader.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace hawser::process {
namespace {

struct Header {
  std::int32_t exit_status = -1;  // -1: go on
  bool warned = false;
  bool introduced = false;
  std::uint64_t plan_bytes = 0;
  std::uint64_t program_bytes = 0;
  std::uint64_t addresses = 0;
};
static_assert(std::is_trivially_copyable_v<IpAddress>);

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

bool write_loaded(int descriptor, const Loaded& loaded, bool introduced) noexcept {
  const std::vector<std::byte>& plan = loaded.plan.bytes();
  const std::vector<std::byte>& program = loaded.program.bytes();
  const Header header{loaded.exit_status.value_or(-1), loaded.warned, introduced, plan.size(), program.size(),
                      loaded.addresses.size()};
  return write_all(descriptor, &header, sizeof header) && write_all(descriptor, plan.data(), plan.size()) &&
         write_all(descriptor, program.data(), program.size()) &&
         write_all(descriptor, loaded.addresses.data(), loaded.addresses.size() * sizeof(IpAddress));
}

// Takes apart what the child wrote; nothing when the sizes do not add up.
std::optional<Loaded> read_loaded(int descriptor, bool& introduced) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < sizeof(Header)) return std::nullopt;
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(mapped), size);
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::optional<Loaded> loaded;
  const std::uint64_t rest = size - sizeof header;
  if (header.plan_bytes <= rest && header.program_bytes <= rest - header.plan_bytes &&
      header.addresses * sizeof(IpAddress) == rest - header.plan_bytes - header.program_bytes) {
    loaded.emplace();
    if (header.exit_status >= 0) loaded->exit_status = header.exit_status;
    loaded->warned = header.warned;
    introduced = header.introduced;
    const std::span<const std::byte> plan = bytes.subspan(sizeof header, header.plan_bytes);
    const std::span<const std::byte> program = bytes.subspan(sizeof header + header.plan_bytes, header.program_bytes);
    const std::byte* const addresses = program.data() + program.size();
    loaded->plan = abi::Image({plan.begin(), plan.end()});
    loaded->program = abi::Image({program.begin(), program.end()});
    loaded->addresses.resize(header.addresses);
    if (header.addresses != 0) std::memcpy(loaded->addresses.data(), addresses, header.addresses * sizeof(IpAddress));
  }
  munmap(mapped, size);
  return loaded;
}

}  // namespace

Loaded load_in_child(const Load& load, Messages& messages) {
  Loaded failed;
  failed.exit_status = 1;
  const int channel = memfd_create("hawser-configuration", MFD_CLOEXEC);
  if (channel < 0) {
    messages.alert(fmt::format("cannot make memory to load the configuration into: {}", std::strerror(errno)));
    return failed;
  }
  const int parent = getpid();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    messages.set_pid(parent);
    const Loaded loaded = load(messages);
    std::fflush(nullptr);
    _exit(write_loaded(channel, loaded, messages.introduced()) ? 0 : 1);
  }
  int status = -1;
  if (child > 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::optional<Loaded> loaded;
  bool introduced = false;
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) loaded = read_loaded(channel, introduced);
  close(channel);
  if (!loaded) {
    messages.alert("the configuration could not be loaded: its compiler stopped unexpectedly.");
    return failed;
  }
  if (introduced) messages.started();
  return std::move(*loaded);
}

}  // namespace hawser::process
