#include "compiler/codegen/native_image.h"

#include <cstring>
#include <span>

#include "runtime/abi/native.h"
#include "runtime/base/hash.h"

namespace hawser::codegen {

std::vector<std::byte> native_image(abi::ImageView program, const Code& code,
                                    const std::vector<Code::Function>& functions,
                                    const std::vector<std::string>& names) {
  abi::NativeHeader header;
  std::vector<abi::NativeFunction> rows(functions.size());
  const std::size_t rows_bytes = rows.size() * sizeof(abi::NativeFunction);
  std::string text;
  for (std::size_t at = 0; at < names.size(); ++at) {
    rows[at].name = {static_cast<std::uint32_t>(sizeof header + rows_bytes + text.size()),
                     static_cast<std::uint32_t>(names[at].size())};
    text += names[at];
  }
  const std::size_t begin =
      (sizeof header + rows_bytes + text.size() + abi::kNativePage - 1) / abi::kNativePage * abi::kNativePage;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    rows[at].at = static_cast<std::uint32_t>(begin + functions[at].at);
    rows[at].size = functions[at].size;
  }
  std::vector<std::byte> bytes(begin + code.bytes.size());
  if (!rows.empty()) std::memcpy(bytes.data() + sizeof header, rows.data(), rows_bytes);
  if (!text.empty()) std::memcpy(bytes.data() + sizeof header + rows_bytes, text.data(), text.size());
  if (!code.bytes.empty()) std::memcpy(bytes.data() + begin, code.bytes.data(), code.bytes.size());

  header.runtime = abi::native_fingerprint();
  header.program = content_hash(program.bytes());
  header.content = content_hash(std::span(bytes).subspan(sizeof header));
  header.size = static_cast<std::uint32_t>(bytes.size());
  header.functions = {sizeof header, static_cast<std::uint32_t>(rows.size())};
  header.code = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(code.bytes.size())};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace hawser::codegen
