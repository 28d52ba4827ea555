// The images in which native code comes (runtime/abi/native.h): written, and earlier ones looked into.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/backend.h"
#include "runtime/abi/image.h"
#include "runtime/abi/native.h"

namespace hawser::codegen {

// A function of the Program, or a further part of one.
struct NativeRow {
  Code::Function place;
  abi::NativeKey key;
  std::uint32_t further = 0;
  std::string name;  // may be empty
};

// What stands before the code of an image with these rows, whose names are final. Code is put behind it in the same bytes, since
// there may be much of it.
std::size_t code_begin(const std::vector<NativeRow>& rows);

// Makes bytes with code behind code_begin() an image. `compiled`: how many functions of the Program have code that was made for it.
void finish_image(std::uint64_t program_hash, const std::vector<NativeRow>& rows, std::uint32_t compiled,
                  std::vector<std::byte>& bytes);

// The code that earlier images hold, which stay where they are.
class EarlierCode {
 public:
  // False, and nothing is taken from it, unless the image is whole and was made for this runtime.
  bool add(std::span<const std::byte> image);
  std::optional<std::span<const std::byte>> find(const abi::NativeKey& key) const;

 private:
  std::map<abi::NativeKey, std::span<const std::byte>> code_;
};

}  // namespace hawser::codegen
