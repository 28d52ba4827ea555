// JITLink places the sections of an object file one behind the other and fills in the distances between them.
#include <cstring>
#include <optional>

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/aarch64.h>
#include <llvm/ExecutionEngine/JITLink/x86_64.h>
#include <llvm/Support/MemoryBufferRef.h>

#include "compiler/codegen/backend.h"
#include "runtime/abi/native.h"

namespace hawser::codegen {
namespace {

namespace jitlink = llvm::jitlink;
using llvm::Error;

// Code is linked as if it stood here. It holds distances alone, so it does not matter where.
constexpr std::uint64_t kBase = 1 << 20;
constexpr std::size_t kModuleAlignment = 64;

// A distance within the code, or (aarch64) a part of one: nothing that has to know the address.
bool is_relative(const llvm::Triple& triple, jitlink::Edge::Kind kind) {
  if (kind < jitlink::Edge::FirstRelocation) return true;
  if (triple.getArch() == llvm::Triple::x86_64) {
    using namespace jitlink::x86_64;  // NOLINT(google-build-using-namespace)
    return kind == Delta64 || kind == Delta32 || kind == NegDelta64 || kind == NegDelta32 || kind == PCRel32 ||
           kind == BranchPCRel32;
  }
  using namespace jitlink::aarch64;  // NOLINT(google-build-using-namespace)
  return kind == Branch26PCRel || kind == Delta64 || kind == Delta32 || kind == NegDelta64 || kind == NegDelta32 ||
         kind == Page21 || kind == PageOffset12 || kind == ADRLiteral21 || kind == TestAndBranch14PCRel ||
         kind == CondBranch19PCRel || kind == LDRLiteral19;
}

Error only_distances(jitlink::LinkGraph& graph) {
  for (const jitlink::Block* const block : graph.blocks()) {
    for (const jitlink::Edge& edge : block->edges()) {
      if (is_relative(graph.getTargetTriple(), edge.getKind())) continue;
      return llvm::createStringError(llvm::StringRef("code would have to know its address: ") +
                                     graph.getEdgeKindName(edge.getKind()));
    }
  }
  return Error::success();
}

// Works on memory of its own, and appends it to the code when it is done.
class Memory : public jitlink::JITLinkMemoryManager {
 public:
  explicit Memory(Code& code) : code_(code), begin_(aligned(code.bytes.size(), kModuleAlignment)) {}

  void allocate(const jitlink::JITLinkDylib*, jitlink::LinkGraph& graph, OnAllocatedFunction done) override {
    jitlink::BasicLayout layout(graph);
    std::size_t size = 0;
    for (auto& [group, segment] : layout.segments()) {
      size = aligned(size, segment.Alignment.value());
      segment.Addr = llvm::orc::ExecutorAddr(kBase + begin_ + size);
      size += segment.ContentSize + segment.ZeroFillSize;
    }
    bytes_.resize(size);
    for (auto& [group, segment] : layout.segments()) {
      segment.WorkingMem = reinterpret_cast<char*>(bytes_.data()) + (segment.Addr.getValue() - kBase - begin_);
    }
    if (Error wrong = layout.apply()) return done(std::move(wrong));
    done(std::make_unique<Allocation>(*this));
  }

  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override {
    for (FinalizedAlloc& one : allocations) one.release();
    done(Error::success());
  }

 private:
  class Allocation : public InFlightAlloc {
   public:
    explicit Allocation(Memory& memory) : memory_(memory) {}
    void abandon(OnAbandonedFunction done) override { done(Error::success()); }
    void finalize(OnFinalizedFunction done) override {
      memory_.code_.bytes.resize(memory_.begin_);
      memory_.code_.bytes.insert(memory_.code_.bytes.end(), memory_.bytes_.begin(), memory_.bytes_.end());
      done(FinalizedAlloc(llvm::orc::ExecutorAddr(kBase + memory_.begin_)));
    }

   private:
    Memory& memory_;
  };

  static std::size_t aligned(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

  Code& code_;
  std::size_t begin_;
  std::vector<std::byte> bytes_;
};

class Context : public jitlink::JITLinkContext {
 public:
  Context(Memory& memory, Code& code, std::string& wrong)
      : JITLinkContext(nullptr), memory_(memory), code_(code), wrong_(wrong) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return memory_; }
  void notifyFailed(Error error) override { wrong_ = llvm::toString(std::move(error)); }

  void lookup(const LookupMap& symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> go_on) override {
    if (symbols.empty()) return go_on->run(jitlink::AsyncLookupResult());
    go_on->run(llvm::createStringError("code needs '" + symbols.begin()->first + "'"));
  }

  Error modifyPassConfig(jitlink::LinkGraph&, jitlink::PassConfiguration& passes) override {
    passes.PostPrunePasses.emplace_back(only_distances);
    return Error::success();
  }

  Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* const symbol : graph.defined_symbols()) {
      if (!symbol->isCallable() || symbol->getScope() == jitlink::Scope::Local) continue;
      code_.functions[symbol->getName().str()] = {static_cast<std::uint32_t>(symbol->getAddress().getValue() - kBase),
                                                  static_cast<std::uint32_t>(symbol->getSize())};
    }
    return Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc allocation) override { allocation.release(); }

 private:
  Memory& memory_;
  Code& code_;
  std::string& wrong_;
};

}  // namespace

Status link_object(const char* data, std::size_t size, Code& code) {
  auto graph = jitlink::createLinkGraphFromObject(llvm::MemoryBufferRef(llvm::StringRef(data, size), "rules"));
  if (!graph) return hawser::Error{0, llvm::toString(graph.takeError())};
  std::string wrong;
  Memory memory(code);
  jitlink::link(std::move(*graph), std::make_unique<Context>(memory, code, wrong));
  if (!wrong.empty()) return hawser::Error{0, wrong};
  return Success();
}

}  // namespace hawser::codegen
