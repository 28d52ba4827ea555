// Takes the code out of an object file. Nothing has to be linked: each function refers to nothing outside of itself, which is
// what lets it be mapped anywhere, and be taken over into another image.
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/Support/MemoryBufferRef.h>

#include "compiler/codegen/backend.h"
#include "runtime/abi/native.h"

namespace hawser::codegen {
namespace {

namespace jitlink = llvm::jitlink;

// What a block refers to, if that is anything; "" if nothing.
std::string reference(const jitlink::LinkGraph& graph, const jitlink::Block& block) {
  for (const jitlink::Edge& edge : block.edges()) {
    if (edge.getKind() >= jitlink::Edge::FirstRelocation) return graph.getEdgeKindName(edge.getKind());
  }
  return {};
}

}  // namespace

Code::Function Code::append(std::span<const std::byte> code) {
  bytes.resize((bytes.size() + abi::kNativeAlignment - 1) / abi::kNativeAlignment * abi::kNativeAlignment);
  const auto at = static_cast<std::uint32_t>(bytes.size());
  bytes.insert(bytes.end(), code.begin(), code.end());
  return {at, static_cast<std::uint32_t>(code.size())};
}

Status append_object(const char* data, std::size_t size, Code& code) {
  auto graph = jitlink::createLinkGraphFromObject(llvm::MemoryBufferRef(llvm::StringRef(data, size), "rules"));
  if (!graph) return Error{0, llvm::toString(graph.takeError())};
  for (const jitlink::Symbol* const symbol : (*graph)->defined_symbols()) {
    if (!symbol->isCallable() || symbol->getScope() == jitlink::Scope::Local) continue;
    const jitlink::Block& block = symbol->getBlock();
    if (const std::string what = reference(**graph, block); !what.empty()) {
      return Error{0, "code refers to something outside of it: " + what};
    }
    if (block.getAlignment() > abi::kNativeAlignment) return Error{0, "code has to be aligned too much"};
    const llvm::ArrayRef<char> content = block.getContent();
    const auto bytes = std::as_bytes(std::span(content.data(), content.size()));
    code.functions[symbol->getName().str()] = code.append(bytes.subspan(symbol->getOffset(), symbol->getSize()));
  }
  return Success();
}

}  // namespace hawser::codegen
