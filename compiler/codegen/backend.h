// From LLVM's IR to bytes that can be mapped anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace hawser::codegen {

// The code of functions, one behind the other; each stays what it is when it is moved.
struct Code {
  struct Function {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  std::vector<std::byte> bytes;
  std::map<std::string, Function> functions;  // by symbol

  Function append(std::span<const std::byte> code);
};

enum class Effort : std::uint8_t { none, some, all };  // CodeGenOptLevel None, Less, Default

class Backend {
 public:
  static Result<std::unique_ptr<Backend>> make(Effort effort);
  ~Backend();

  // Tells the module what it is compiled for.
  void prepare(llvm::Module& module) const;
  // Compiles a module that is complete and appends its code.
  Status compile(llvm::Module& module, Code& code);
  std::string assembly(llvm::Module& module);

 private:
  explicit Backend(std::unique_ptr<llvm::TargetMachine> machine);
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// Appends the functions of an object file. Refuses one that refers to anything outside of it.
Status append_object(const char* data, std::size_t size, Code& code);

}  // namespace hawser::codegen
