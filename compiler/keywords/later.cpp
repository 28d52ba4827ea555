// Words that we refuse by name: those that hawser does not carry out yet, and those that HAProxy no longer takes.
#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

#define LATER(...) {__VA_ARGS__},
constexpr LaterWord kSections[] = {
#include "compiler/keywords/later_section.def"
};
constexpr LaterWord kGlobal[] = {
#include "compiler/keywords/later_global.def"
};
constexpr LaterWord kProxy[] = {
#include "compiler/keywords/later_proxy.def"
};
constexpr LaterWord kBind[] = {
#include "compiler/keywords/later_bind.def"
};
constexpr LaterWord kServer[] = {
#include "compiler/keywords/later_server.def"
};
#undef LATER

constexpr RemovedWord kRemoved[] = {
#define REMOVED(kind, name, origin, text) {WordKind::kind, name, grammar::Origin::origin, text},
#include "compiler/keywords/removed.def"
#undef REMOVED
};

template <class Row, std::size_t count>
consteval bool ordered(const Row (&rows)[count]) {
  for (std::size_t at = 1; at < count; ++at) {
    if (!(rows[at - 1].name < rows[at].name)) return false;
  }
  return true;
}
static_assert(ordered(kSections) && ordered(kGlobal) && ordered(kProxy) && ordered(kBind) && ordered(kServer));

}  // namespace

std::span<const LaterWord> later_words(WordKind kind) {
  switch (kind) {
    case WordKind::section: return kSections;
    case WordKind::global: return kGlobal;
    case WordKind::proxy: return kProxy;
    case WordKind::bind: return kBind;
    case WordKind::server: return kServer;
  }
  return {};
}

std::span<const RemovedWord> removed_words() { return kRemoved; }

}  // namespace hawser::compiler
