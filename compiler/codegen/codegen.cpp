#include "compiler/codegen/codegen.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/native_image.h"
#include "runtime/base/hash.h"

namespace hawser::codegen {
namespace {

// A module takes memory for each step until all of it is compiled: about 20 KB for one that is a comparison.
constexpr std::size_t kModuleSteps = 2000;
constexpr std::size_t kModuleFunctions = 500;

// Of code, more than a step takes as a rule.
constexpr std::size_t kStepBytes = 256;

std::string symbol(const Facts& facts, std::size_t function, std::uint32_t part) {
  const std::string name = fmt::format("function{}.{}", function, facts.place(function));
  return part == 0 ? name : fmt::format("{}.part{}", name, part);
}

// A hash of how code is made, beside what it is made from.
std::uint64_t seed_of(const Options& options) {
  return std::uint64_t{options.part_steps} << 8 | static_cast<std::uint64_t>(options.effort);
}

// Gives the parts of functions to modules, a module's worth at a time, and calls `use(module)` with each.
template <class Use>
class Modules {
 public:
  Modules(const Facts& facts, const Backend& backend, Use use) : facts_(facts), backend_(backend), use_(use) {
    begin();
  }

  Status add(std::size_t function, std::uint32_t part_steps) {
    const Flow flow(facts_.steps(function), part_steps);
    for (std::uint32_t part = 0; part < flow.parts(); ++part) {
      if (functions_ == kModuleFunctions || steps_ >= kModuleSteps) {
        if (const Status done = end(); !done) return done;
        begin();
      }
      emitter_->emit(function, flow, part, symbol(facts_, function, part));
      ++functions_;
      steps_ += std::min<std::size_t>(flow.steps().size(), part_steps);
    }
    return Success();
  }

  Status end() { return functions_ == 0 ? Status(Success()) : use_(*module_); }

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

  const Facts& facts_;
  const Backend& backend_;
  Use use_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<Emitter> emitter_;
  std::size_t functions_ = 0;
  std::size_t steps_ = 0;
};

// The rows of all functions, and of their further parts behind them, without their places.
std::vector<NativeRow> make_rows(const Facts& facts, const Options& options) {
  const std::size_t functions = facts.functions().size();
  std::vector<NativeRow> rows(functions);
  for (std::size_t at = 0; at < functions; ++at) {
    rows[at].key = facts.key(at, seed_of(options));
    if (options.names) rows[at].name = "hawser:" + symbol(facts, at, 0);
    const std::uint32_t parts = Flow::part_count(facts.steps(at).size(), options.part_steps);
    if (parts > 1) rows[at].further = static_cast<std::uint32_t>(rows.size());
    for (std::uint32_t part = 1; part < parts; ++part) {
      NativeRow row;
      row.key = rows[at].key;
      row.key.halves[0] += part;
      if (options.names) row.name = "hawser:" + symbol(facts, at, part);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

NativeRow& row_of(std::vector<NativeRow>& rows, std::size_t function, std::uint32_t part) {
  return rows[part == 0 ? function : rows[function].further + part - 1];
}

// Takes the code of a function over from earlier images; false, and nothing is done, unless they have all of its parts.
bool take_over(const EarlierCode& earlier, std::size_t function, std::uint32_t parts, std::vector<NativeRow>& rows,
               Code& code) {
  const auto row = [&](std::uint32_t part) -> NativeRow& { return row_of(rows, function, part); };
  for (std::uint32_t part = 0; part < parts; ++part) {
    if (!earlier.find(row(part).key)) return false;
  }
  for (std::uint32_t part = 0; part < parts; ++part) row(part).place = code.append(*earlier.find(row(part).key));
  return true;
}

}  // namespace

Result<std::vector<std::byte>> compile(abi::ImageView program, const Options& options, const EarlierCode& earlier) {
  auto backend = Backend::make(options.effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  const std::uint64_t program_hash = content_hash(program.bytes());
  std::vector<NativeRow> rows = make_rows(facts, options);
  Code code;
  // Addresses, not memory: the vector is not to be copied while it grows.
  code.bytes.reserve(code_begin(rows) + facts.program().steps.count * kStepBytes);
  code.bytes.resize(code_begin(rows));
  Modules modules(facts, **backend, [&](llvm::Module& module) {
    if (options.rest) options.rest();
    return (*backend)->compile(module, code);
  });
  std::vector<std::size_t> compiled;  // the functions that are no earlier image's
  for (std::size_t at = 0; at < facts.functions().size(); ++at) {
    const std::uint32_t parts = Flow::part_count(facts.steps(at).size(), options.part_steps);
    if (take_over(earlier, at, parts, rows, code)) continue;
    if (const Status done = modules.add(at, options.part_steps); !done) return done.error();
    compiled.push_back(at);
  }
  if (const Status done = modules.end(); !done) return done.error();
  for (const std::size_t at : compiled) {
    const std::uint32_t parts = Flow::part_count(facts.steps(at).size(), options.part_steps);
    for (std::uint32_t part = 0; part < parts; ++part) {
      const auto found = code.functions.find(symbol(facts, at, part));
      if (found == code.functions.end()) return Error{0, "the code lacks " + symbol(facts, at, part)};
      row_of(rows, at, part).place = found->second;
    }
  }
  finish_image(program_hash, rows, static_cast<std::uint32_t>(compiled.size()), code.bytes);
  return std::move(code.bytes);
}

Result<std::string> dump(abi::ImageView program, const Options& options, Form form) {
  auto backend = Backend::make(options.effort);
  if (!backend) return backend.error();
  const Facts facts(program);
  std::string text;
  Modules modules(facts, **backend, [&](llvm::Module& module) -> Status {
    if (form == Form::assembly) {
      text += (*backend)->assembly(module);
    } else {
      llvm::raw_string_ostream out(text);
      module.print(out, nullptr);
    }
    return Success();
  });
  for (std::size_t at = 0; at < facts.functions().size(); ++at) {
    if (const Status done = modules.add(at, options.part_steps); !done) return done.error();
  }
  if (const Status done = modules.end(); !done) return done.error();
  return text;
}

}  // namespace hawser::codegen
