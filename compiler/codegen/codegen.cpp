#include "compiler/codegen/codegen.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/native_image.h"

namespace hawser::codegen {
namespace {

// A module takes memory for each of its functions until all are compiled.
constexpr std::size_t kModuleFunctions = 500;

std::string symbol(const Facts& facts, std::size_t function) {
  return fmt::format("function{}.{}", function, facts.place(function));
}

// Calls `use(module)` with all functions, a module's worth at a time.
template <class Use>
Status each_module(const Facts& facts, const Backend& backend, Use use) {
  const std::size_t functions = facts.functions().size();
  for (std::size_t first = 0; first < functions; first += kModuleFunctions) {
    llvm::LLVMContext context;
    llvm::Module module("rules", context);
    backend.prepare(module);
    Emitter emitter(facts, module);
    for (std::size_t at = first; at < std::min(functions, first + kModuleFunctions); ++at) {
      emitter.emit(at, symbol(facts, at));
    }
    if (Status done = use(module); !done) return done;
  }
  return Success();
}

}  // namespace

Result<std::vector<std::byte>> compile(abi::ImageView program, Effort effort, bool names) {
  auto backend = Backend::make(effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  Code code;
  const Status done =
      each_module(facts, **backend, [&](llvm::Module& module) { return (*backend)->compile(module, code); });
  if (!done) return done.error();
  std::vector<Code::Function> places;
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < facts.functions().size(); ++at) {
    const std::string name = symbol(facts, at);
    const auto found = code.functions.find(name);
    if (found == code.functions.end()) return Error{0, "the code lacks " + name};
    places.push_back(found->second);
    if (names) texts.push_back("hawser:" + name);
  }
  return native_image(program, code, places, texts);
}

Result<std::string> dump(abi::ImageView program, Effort effort, Form form) {
  auto backend = Backend::make(effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  std::string text;
  const Status done = each_module(facts, **backend, [&](llvm::Module& module) -> Status {
    if (form == Form::assembly) {
      text += (*backend)->assembly(module);
    } else {
      llvm::raw_string_ostream out(text);
      module.print(out, nullptr);
    }
    return Success();
  });
  if (!done) return done.error();
  return text;
}

}  // namespace hawser::codegen
