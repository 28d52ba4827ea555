#include "compiler/codegen/codegen.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/native_image.h"

namespace hawser::codegen {
namespace {

// A module takes memory for each step until all of it is compiled: about 20 KB for one that is a comparison.
constexpr std::size_t kModuleSteps = 2000;
constexpr std::size_t kModuleFunctions = 500;

std::string symbol(const Facts& facts, std::size_t function, std::uint32_t part) {
  const std::string name = fmt::format("function{}.{}", function, facts.place(function));
  return part == 0 ? name : fmt::format("{}.part{}", name, part);
}

// Gives the parts of all functions to modules, a module's worth at a time, and calls `use(module)` with each.
template <class Use>
class Modules {
 public:
  Modules(const Facts& facts, const Backend& backend, const Options& options, Use use)
      : facts_(facts), backend_(backend), options_(options), use_(use) {}

  Status run() {
    begin();
    auto further = static_cast<std::uint32_t>(facts_.functions().size());
    for (std::size_t at = 0; at < facts_.functions().size(); ++at) {
      const Flow flow(facts_.steps(at), options_.part_steps);
      for (std::uint32_t part = 0; part < flow.parts(); ++part) {
        const std::string name = symbol(facts_, at, part);
        (part == 0 ? symbols_ : further_).push_back(name);
        if (const Status done = add(at, flow, part, further, name); !done) return done;
      }
      further += flow.parts() - 1;
    }
    symbols_.insert(symbols_.end(), further_.begin(), further_.end());
    return end();
  }

  const std::vector<std::string>& symbols() const noexcept { return symbols_; }

 private:
  void begin() {
    emitter_.reset();
    module_.reset();
    context_ = std::make_unique<llvm::LLVMContext>();
    context_->setDiscardValueNames(true);
    module_ = std::make_unique<llvm::Module>("rules", *context_);
    backend_.prepare(*module_);
    emitter_ = std::make_unique<Emitter>(facts_, *module_);
    functions_ = steps_ = 0;
  }

  Status add(std::size_t function, const Flow& flow, std::uint32_t part, std::uint32_t first_row,
             const std::string& name) {
    if (functions_ == kModuleFunctions || steps_ >= kModuleSteps) {
      if (const Status done = end(); !done) return done;
      begin();
    }
    emitter_->emit(function, flow, part, first_row, name);
    ++functions_;
    steps_ += std::min<std::size_t>(flow.steps().size(), options_.part_steps);
    return Success();
  }

  Status end() { return functions_ == 0 ? Status(Success()) : use_(*module_); }

  const Facts& facts_;
  const Backend& backend_;
  const Options& options_;
  Use use_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<Emitter> emitter_;
  std::size_t functions_ = 0;
  std::size_t steps_ = 0;
  std::vector<std::string> symbols_;
  std::vector<std::string> further_;
};

}  // namespace

Result<std::vector<std::byte>> compile(abi::ImageView program, const Options& options) {
  auto backend = Backend::make(options.effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  Code code;
  Modules modules(facts, **backend, options, [&](llvm::Module& module) { return (*backend)->compile(module, code); });
  if (const Status done = modules.run(); !done) return done.error();
  std::vector<Code::Function> places;
  std::vector<std::string> names;
  for (const std::string& name : modules.symbols()) {
    const auto found = code.functions.find(name);
    if (found == code.functions.end()) return Error{0, "the code lacks " + name};
    places.push_back(found->second);
    if (options.names) names.push_back("hawser:" + name);
  }
  return native_image(program, code, places, names);
}

Result<std::string> dump(abi::ImageView program, const Options& options, Form form) {
  auto backend = Backend::make(options.effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  std::string text;
  Modules modules(facts, **backend, options, [&](llvm::Module& module) -> Status {
    if (form == Form::assembly) {
      text += (*backend)->assembly(module);
    } else {
      llvm::raw_string_ostream out(text);
      module.print(out, nullptr);
    }
    return Success();
  });
  if (const Status done = modules.run(); !done) return done.error();
  return text;
}

}  // namespace hawser::codegen
