// Code images with any bytes. Holds: each is refused, or what it says of its functions lies within it.
//
// The input is the rows of functions and names; the header's hashes and sizes are made to fit, so that the checks behind
// them are reached, unless the first byte says to leave them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "runtime/abi/native.h"
#include "runtime/base/hash.h"

namespace {

using namespace hawser;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kFunctions = 3;

const abi::Image& program() {
  static const abi::Image image = [] {
    abi::ImageBuilder builder;
    abi::Program program;
    program.functions = builder.rows(std::vector<abi::Function>(kFunctions));
    return builder.finish(program);
  }();
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool fit = (data[0] & 1) == 0;
  std::vector<std::byte> bytes(sizeof(abi::NativeHeader) + size - 1);
  std::memcpy(bytes.data() + (fit ? sizeof(abi::NativeHeader) : 0), data + 1, size - 1);
  if (fit) {
    // The first byte also says where the code begins and how long it is.
    abi::NativeHeader header;
    header.runtime = abi::native_fingerprint();
    header.program = content_hash(program().view().bytes());
    header.functions = {sizeof header, kFunctions};
    header.code = {(data[0] >> 1 & 7u) * abi::kNativePage, (data[0] >> 4) * 512u};
    bytes.resize(std::max<std::size_t>(bytes.size(), (data[0] >> 1 & 7u) * abi::kNativePage + 4096));
    header.size = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    header.content = content_hash(abi::native_content(bytes));
    std::memcpy(bytes.data(), &header, sizeof header);
  }
  if (!abi::verify_native(bytes, program().view()).empty()) return 0;
  for (const abi::NativeFunction& function : abi::native_functions(bytes)) {
    if (function.further >= abi::native_functions(bytes).size()) abort();
    if (function.at < sizeof(abi::NativeHeader) || std::uint64_t{function.at} + function.size > bytes.size()) abort();
    std::size_t sum = 0;
    for (const char c : abi::native_name(bytes, function)) sum += static_cast<unsigned char>(c);
    for (const std::byte byte : std::span(bytes).subspan(function.at, function.size)) sum += std::size_t(byte);
    if (sum == SIZE_MAX) abort();
  }
  return 0;
}
