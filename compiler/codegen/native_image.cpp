#include "compiler/codegen/native_image.h"

#include <cstring>

#include "runtime/base/hash.h"

namespace hawser::codegen {

std::vector<std::byte> native_image(abi::ImageView program, const Code& code, const std::vector<NativeRow>& rows,
                                    std::uint32_t compiled) {
  abi::NativeHeader header;
  std::vector<abi::NativeFunction> functions(rows.size());
  const std::size_t rows_bytes = rows.size() * sizeof(abi::NativeFunction);
  std::string text;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    functions[at].name = {static_cast<std::uint32_t>(sizeof header + rows_bytes + text.size()),
                          static_cast<std::uint32_t>(rows[at].name.size())};
    text += rows[at].name;
  }
  const std::size_t begin =
      (sizeof header + rows_bytes + text.size() + abi::kNativePage - 1) / abi::kNativePage * abi::kNativePage;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    functions[at].at = static_cast<std::uint32_t>(begin + rows[at].place.at);
    functions[at].size = rows[at].place.size;
    functions[at].further = rows[at].further;
    functions[at].key = rows[at].key;
  }
  std::vector<std::byte> bytes(begin + code.bytes.size());
  if (!rows.empty()) std::memcpy(bytes.data() + sizeof header, functions.data(), rows_bytes);
  if (!text.empty()) std::memcpy(bytes.data() + sizeof header + rows_bytes, text.data(), text.size());
  if (!code.bytes.empty()) std::memcpy(bytes.data() + begin, code.bytes.data(), code.bytes.size());

  header.runtime = abi::native_fingerprint();
  header.program = content_hash(program.bytes());
  header.size = static_cast<std::uint32_t>(bytes.size());
  header.functions = {sizeof header, static_cast<std::uint32_t>(rows.size())};
  header.code = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(code.bytes.size())};
  header.compiled = compiled;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.content = content_hash(abi::native_content(bytes));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
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
