#include "compiler/opt/opt.h"

#include <cstdio>

#include "compiler/ir/verify.h"

namespace hawser::opt {
namespace {

constexpr PassRow kPasses[] = {
    {"fold-constants", "Work out what the configuration alone decides.", fold_constants},
    {"thread-branches", "Go past tests whose answer is known on the way to them.", thread_branches},
    {"merge-tests", "Make one look-up of tests of one value.", merge_tests},
    {"fetch-once", "Use again what was fetched, where nothing has written it.", fetch_once},
    {"remove-dead", "Leave out what is never reached or never used.", remove_dead},
};

#ifdef HAWSER_DEBUG_CHECKS
void verify(const ir::Module& module, std::string_view behind) {
  const std::string wrong = ir::verify(module);
  if (!wrong.empty()) {
    std::fprintf(stderr, "behind %.*s: %s\n", static_cast<int>(behind.size()), behind.data(), wrong.c_str());
  }
  HAWSER_CHECK(wrong.empty());
}
#else
void verify(const ir::Module&, std::string_view) {}
#endif

}  // namespace

std::span<const PassRow> passes() noexcept { return kPasses; }

std::optional<PassSet> PassSet::parse(std::string_view text) {
  if (text == "all") return all();
  if (text == "none") return none();
  std::uint32_t bits = 0;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    std::size_t at = 0;
    while (at < std::size(kPasses) && kPasses[at].name != name) ++at;
    if (at == std::size(kPasses)) return std::nullopt;
    bits |= std::uint32_t{1} << at;
  }
  return PassSet(bits);
}

void optimise(ir::Module& module, PassSet set) {
  verify(module, "lowering");
  for (std::size_t at = 0; at < std::size(kPasses); ++at) {
    if (!set.has(at)) continue;
    for (ir::Function& function : module.functions) kPasses[at].pass(module, function);
    verify(module, kPasses[at].name);
  }
}

}  // namespace hawser::opt
