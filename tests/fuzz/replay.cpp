// Runs every file of a corpus through a fuzz target, where libFuzzer is not there: replay_NAME FOLDER…
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::vector<std::uint8_t> bytes(std::filesystem::file_size(path));
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i], error)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    fmt::print("{}\n", path.filename().string());
    std::fflush(stdout);  // so that a crash tells which one
    const std::vector<std::uint8_t> bytes = bytes_of(path);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  fmt::print("{} inputs\n", paths.size());
  return paths.empty() ? 1 : 0;
}
