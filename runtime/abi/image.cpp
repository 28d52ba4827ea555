#include "runtime/abi/image.h"

namespace hawser::abi {

Text ImageBuilder::text(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
  const Text placed{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  bytes_.insert(bytes_.end(), begin, begin + text.size());
  texts_.emplace(text, placed);
  return placed;
}

}  // namespace hawser::abi
