// Whole configurations through the front of the compiler. Holds: reading ends without a crash, every message can
// be shown, the model can be dumped, and what is sound has no broken reference and becomes a Plan and a Program that the
// verifiers pass.
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/driver/compile.h"
#include "compiler/finalise/finalise.h"
#include "compiler/lower/lower.h"
#include "runtime/abi/plan.h"
#include "runtime/base/check.h"
#include "runtime/exec/run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser;  // NOLINT(google-build-using-namespace)
  grammar::Sources sources;
  const grammar::FileId file = sources.add("fuzz.cfg", std::string(reinterpret_cast<const char*>(data), size));
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  const model::Config config =
      compiler::read_and_check({file}, sources, environment, {.look_up_names = false}, diagnostics);
  for (const grammar::Diagnostic& one : diagnostics.all()) {
    HAWSER_CHECK(!grammar::render(one, sources, 1).empty());
    HAWSER_CHECK(!grammar::render_json(one, sources).empty());
  }
  HAWSER_CHECK(!model::dump(config).empty());
  if (diagnostics.has_fatal()) return 0;
  for (const model::Proxy& proxy : config.proxies) {
    if (proxy.kind == model::Proxy::Kind::defaults || *proxy.disabled) continue;
    if (proxy.frontend() && proxy.default_backend.is_set()) HAWSER_CHECK(proxy.default_backend_id.has_value());
    for (const model::BackendRule& rule : proxy.backend_rules) {
      HAWSER_CHECK(rule.backend.has_value() || rule.dynamic.has_value());
    }
  }
  const abi::Image plan = compiler::make_plan(config, sources, {.look_up_names = false});
  const abi::Image program = compiler::finalise(compiler::lower(config));
  const std::string wrong = abi::verify_pair(plan.view(), program.view());
  HAWSER_CHECK(wrong.empty());
  HAWSER_CHECK(!abi::dump_plan(plan.view()).empty());
  abi::dump(program.view());
  HAWSER_CHECK(exec::Engine::make(program.view()).ok());
  return 0;
}
