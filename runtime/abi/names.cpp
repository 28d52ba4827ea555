// Names of everything that has a row.
#include "runtime/abi/program.h"

#include <iterator>

namespace hawser::abi {
namespace {

constexpr std::string_view kFetchNames[] = {
#define FETCH(id, name, ...) name,
#include "runtime/abi/fetches.def"
#undef FETCH
};
constexpr std::string_view kConverterNames[] = {
#define CONVERTER(id, name, ...) name,
#include "runtime/abi/converters.def"
#undef CONVERTER
};
constexpr std::string_view kActionNames[] = {
#define ACTION(id, name, ...) name,
#include "runtime/abi/actions.def"
#undef ACTION
};
constexpr std::string_view kAliasNames[] = {
#define ALIAS(id, name, ...) name,
#include "runtime/abi/aliases.def"
#undef ALIAS
};
constexpr std::string_view kOpNames[] = {
#define OP(id, ...) #id,
#include "runtime/abi/opcodes.def"
#undef OP
};
constexpr std::string_view kEntryPointNames[] = {"connection",
                                                 "session",
                                                 "content",
                                                 "http_request",
                                                 "choose_backend",
                                                 "use_server",
                                                 "persist",
                                                 "http_response",
                                                 "http_after_response",
                                                 "tcp_response",
                                                 "log",
                                                 "check",
                                                 "cli"};
static_assert(std::size(kEntryPointNames) == kEntryPoints);

template <class IdT, std::size_t count>
std::string_view look_up(const std::string_view (&names)[count], IdT id) noexcept {
  const auto index = static_cast<std::size_t>(id);
  return index < count ? names[index] : "?";
}

}  // namespace

std::string_view name_of(FetchId id) noexcept { return look_up(kFetchNames, id); }
std::string_view name_of(ConverterId id) noexcept { return look_up(kConverterNames, id); }
std::string_view name_of(ActionId id) noexcept { return look_up(kActionNames, id); }
std::string_view name_of(AliasId id) noexcept { return look_up(kAliasNames, id); }
std::string_view name_of(Op op) noexcept { return look_up(kOpNames, op); }
std::string_view name_of(EntryPoint point) noexcept { return look_up(kEntryPointNames, point); }

}  // namespace hawser::abi
