#include "runtime/process/load_job.h"

#include <cstring>

namespace hawser::process {
namespace {

struct Header {
  std::int32_t exit_status = -1;  // -1: go on
  bool warned = false;
  bool introduced = false;
  std::uint64_t addresses = 0;
};
static_assert(std::is_trivially_copyable_v<IpAddress>);

bool write_bytes(int descriptor, std::span<const std::byte> bytes) noexcept {
  return write_all(descriptor, bytes.data(), bytes.size());
}

}  // namespace

Result<std::vector<OwnedDescriptor>> make_load_files() {
  std::vector<OwnedDescriptor> files;
  for (const char* name : {"hawser-result", "hawser-plan", "hawser-program"}) {
    Result<OwnedDescriptor> file = make_memory_file(name, MemoryUse::data);
    if (!file) return file.error();
    files.push_back(std::move(file).value());
  }
  return files;
}

bool write_loaded(const std::vector<OwnedDescriptor>& files, const Loaded& loaded, bool introduced) noexcept {
  const Header header{loaded.exit_status.value_or(-1), loaded.warned, introduced, loaded.addresses.size()};
  return write_all(files[0].get(), &header, sizeof header) &&
         write_all(files[0].get(), loaded.addresses.data(), loaded.addresses.size() * sizeof(IpAddress)) &&
         write_bytes(files[1].get(), loaded.plan.bytes()) && write_bytes(files[2].get(), loaded.program.bytes());
}

Result<LoadResult> read_loaded(std::vector<OwnedDescriptor>& files) {
  if (files.size() != kLoadFiles) return Error{0, "its compiler gave no result"};
  Result<abi::HeldImage> result = map_sealed(files[0].get());
  Result<abi::HeldImage> plan = map_sealed(files[1].get());
  Result<abi::HeldImage> program = map_sealed(files[2].get());
  for (const auto* file : {&result, &plan, &program}) {
    if (!*file) return file->error();
  }
  const std::span<const std::byte> bytes = result->bytes();
  Header header;
  if (bytes.size() < sizeof header) return Error{0, "its compiler gave no result"};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.addresses != (bytes.size() - sizeof header) / sizeof(IpAddress)) {
    return Error{0, "the result of its compiler is damaged"};
  }
  LoadResult read;
  read.introduced = header.introduced;
  Loaded& loaded = read.loaded;
  if (header.exit_status >= 0) loaded.exit_status = header.exit_status;
  loaded.warned = header.warned;
  loaded.plan = std::move(plan).value();
  loaded.program = std::move(program).value();
  loaded.program_file = std::move(files[2]);
  loaded.addresses.resize(header.addresses);
  if (header.addresses != 0) {
    std::memcpy(loaded.addresses.data(), bytes.data() + sizeof header, header.addresses * sizeof(IpAddress));
  }
  return read;
}

}  // namespace hawser::process
