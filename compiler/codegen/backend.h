// From LLVM's IR to bytes that can be mapped anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace hawser::codegen {

// Code and the constants that it reads, at offsets that stay when the whole is moved.
struct Code {
  struct Function {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  std::vector<std::byte> bytes;
  std::map<std::string, Function> functions;  // by symbol
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

// Places the code of an object file behind `code`. Refuses what would have to know its address, or needs a symbol that
// is not there.
Status link_object(const char* data, std::size_t size, Code& code);

}  // namespace hawser::codegen
