// Texts of the IR. Holds: a text is refused, or printing what was parsed gives a text that parses to the same; and what
// the verifier lets through is finalised to a Program that its own verifier lets through, and that runs to an end.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compiler/finalise/finalise.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "tests/support/run_all.h"

namespace {

using namespace hawser;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = ir::parse({reinterpret_cast<const char*>(data), size});
  const auto* module = std::get_if<ir::Module>(&parsed);
  if (module == nullptr) return 0;
  const std::string text = ir::print(*module);
  const auto again = ir::parse(text);
  require(std::holds_alternative<ir::Module>(again), "what was printed is refused: " + text);
  require(ir::print(std::get<ir::Module>(again)) == text, "what was printed is read differently: " + text);
  if (!ir::verify(*module).empty()) return 0;
  for (const bool suspend : {false, true}) {
    const abi::Image program = compiler::finalise(*module, {.suspend_everywhere = suspend});
    const std::string wrong = abi::verify(program.view());
    require(wrong.empty(), wrong + ": " + text);
    test::run_all(program.view());
  }
  return 0;
}
