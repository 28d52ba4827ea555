#include "compiler/codegen/native_image.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/hash.h"

namespace hawser::codegen {

std::size_t code_begin(const std::vector<NativeRow>& rows) {
  std::size_t size = sizeof(abi::NativeHeader) + rows.size() * sizeof(abi::NativeFunction);
  for (const NativeRow& row : rows) size += row.name.size();
  return (size + abi::kNativePage - 1) / abi::kNativePage * abi::kNativePage;
}

void finish_image(std::uint64_t program_hash, const std::vector<NativeRow>& rows, std::uint32_t compiled,
                  std::vector<std::byte>& bytes) {
  const std::size_t begin = code_begin(rows);
  std::byte* const functions = bytes.data() + sizeof(abi::NativeHeader);
  std::byte* name = functions + rows.size() * sizeof(abi::NativeFunction);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const NativeRow& row = rows[at];
    abi::NativeFunction function{row.place.at, row.place.size, {}, row.further, 0, row.key};
    function.name = {static_cast<std::uint32_t>(name - bytes.data()), static_cast<std::uint32_t>(row.name.size())};
    std::memcpy(functions + at * sizeof function, &function, sizeof function);
    name = std::copy_n(std::as_bytes(std::span(row.name)).begin(), row.name.size(), name);
  }
  abi::NativeHeader header;
  header.runtime = abi::native_fingerprint();
  header.program = program_hash;
  header.size = static_cast<std::uint32_t>(bytes.size());
  header.functions = {sizeof header, static_cast<std::uint32_t>(rows.size())};
  header.code = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes.size() - begin)};
  header.compiled = compiled;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.content = content_hash(abi::native_content(bytes));
  std::memcpy(bytes.data(), &header, sizeof header);
}

bool EarlierCode::add(std::span<const std::byte> image) {
  if (!abi::verify_native(image).empty()) return false;
  for (const abi::NativeFunction& function : abi::native_functions(image)) {
    code_.emplace(function.key, image.subspan(function.at, function.size));
  }
  return true;
}

std::optional<std::span<const std::byte>> EarlierCode::find(const abi::NativeKey& key) const {
  const auto found = code_.find(key);
  return found == code_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace hawser::codegen
