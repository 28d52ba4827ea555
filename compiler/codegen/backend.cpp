#include "compiler/codegen/backend.h"

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>

namespace hawser::codegen {
namespace {

llvm::CodeGenOptLevel level(Effort effort) {
  switch (effort) {
    case Effort::none: return llvm::CodeGenOptLevel::None;
    case Effort::some: return llvm::CodeGenOptLevel::Less;
    case Effort::all: break;
  }
  return llvm::CodeGenOptLevel::Default;
}

}  // namespace

Backend::Backend(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}
Backend::~Backend() = default;

Result<std::unique_ptr<Backend>> Backend::make(Effort effort) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string wrong;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, wrong);
  if (target == nullptr) return Error{0, "no code can be made for this machine: " + wrong};
  llvm::TargetOptions options;
  options.MCOptions.MCRelaxAll = true;  // long jumps everywhere: a little more code for less work and memory
  // Any machine of this kind: no feature beyond its baseline.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "", "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level(effort), true));
  if (machine == nullptr) return Error{0, "no code can be made for this machine: " + triple};
  return std::unique_ptr<Backend>(new Backend(std::move(machine)));
}

void Backend::prepare(llvm::Module& module) const {
  module.setDataLayout(machine_->createDataLayout());
  module.setTargetTriple(machine_->getTargetTriple().str());
  module.setPICLevel(llvm::PICLevel::BigPIC);
}

Status Backend::compile(llvm::Module& module, Code& code) {
  llvm::SmallVector<char, 0> object;
  {
    llvm::raw_svector_ostream out(object);
    llvm::legacy::PassManager passes;
    if (machine_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile)) {
      return Error{0, "no code can be made for this machine"};
    }
    passes.run(module);
  }
  return append_object(object.data(), object.size(), code);
}

std::string Backend::assembly(llvm::Module& module) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile)) return {};
  passes.run(module);
  return {text.begin(), text.end()};
}

}  // namespace hawser::codegen
