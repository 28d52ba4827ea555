// How the things of a function follow each other; verify.h lists the rules.
#include "compiler/ir/check.h"
#include "compiler/ir/dominators.h"

namespace hawser::ir {
namespace {

using abi::SampleType;

class FlowVerifier {
 public:
  FlowVerifier(const Module& module, const Function& function)
      : module_(module), function_(function), dominators_(function), assigned_(function.registers) {}

  std::string run() {
    for (const BlockId block : dominators_.order()) {
      check_.enter(block);
      if (!edges(block) || !text(function_.blocks[block]) || !assignments(block)) return check_.error();
    }
    for (const BlockId block : dominators_.order()) {
      check_.enter(block);
      if (!reads(block)) return check_.error();
    }
    return check_.error();
  }

 private:
  // Where a register is assigned, and of which type its value is.
  struct Assigned {
    BlockId block;
    std::size_t at = 0;
    SampleType type = SampleType::any;
  };

  bool edges(BlockId block) {
    const Terminator& one = function_.blocks[block].terminator;
    const std::uint32_t here = dominators_.position(block);
    const bool selects = one.end == End::select || one.end == End::select_backend;
    if (!check_.expect(one.end != End::need || function_.waits(), "need stands where no data comes") ||
        !check_.expect(!selects || !function_.waits(), "{} stands where data may come", name_of(one.end))) {
      return false;
    }
    if (goes_back(one)) return edge_back(one, block);
    bool ahead = true;
    for_each_edge(one, [&](BlockId target) { ahead = ahead && dominators_.position(target) > here; });
    return check_.expect(ahead, "{} goes back", name_of(one.end));
  }

  bool edge_back(const Terminator& one, BlockId block) {
    const BlockId target = one.target;
    if (!check_.expect(dominators_.reachable(target) && dominators_.dominates(target, block),
                       "not every way to {} has passed b{}", name_of(one.end), target.index)) {
      return false;
    }
    if (one.end == End::need) return true;
    return check_.expect(function_.blocks[target].terminator.end == End::select, "again goes to no select");
  }

  bool text(const Block& block) {
    bool open = false;
    for (const Instruction& one : block.instructions) {
      const bool part = one.op == Op::text_constant || one.op == Op::text_separator || one.op == Op::text_sample ||
                        one.op == Op::text_alias || one.op == Op::text_end;
      if (!check_.expect(!part || open, "{} stands in no text", name_of(one.op)) ||
          !check_.expect(one.op != Op::text_begin || !open, "a text begins in another")) {
        return false;
      }
      if (one.op == Op::text_begin) open = true;
      if (one.op == Op::text_end) open = false;
    }
    return check_.expect(open == (block.terminator.end == End::emit), "a text has no {}", open ? "end" : "beginning");
  }

  bool assignments(BlockId block) {
    const auto& instructions = function_.blocks[block].instructions;
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      const Instruction& one = instructions[at];
      if (!assigns(one)) continue;
      Assigned& assigned = assigned_[one.reg.index];
      if (!check_.expect(!assigned.block.valid(), "register {} is assigned twice", one.reg.index)) return false;
      assigned = {block, at, type_of(one)};
    }
    return true;
  }
  SampleType type_of(const Instruction& one) const {
    switch (one.op) {
      case Op::sample: return module_.expression(one.expression).type();
      case Op::constant: return std::holds_alternative<std::string>(one.value) ? SampleType::string : SampleType::sint;
      case Op::text_end: return SampleType::string;
      default: return SampleType::boolean;
    }
  }

  bool reads(BlockId block) {
    const auto& instructions = function_.blocks[block].instructions;
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      const Instruction& one = instructions[at];
      if (!reads_register(one)) continue;
      if (!read(one.reg, block, at)) return false;
      const SampleType type = assigned_[one.reg.index].type;
      if (!check_.expect(one.op != Op::match_register || fits(type, one.match), "register {} is no {}", one.reg.index,
                         to_string(one.match))) {
        return false;
      }
    }
    const Terminator& end = function_.blocks[block].terminator;
    return !has(end, operand::reg) || read(end.reg, block, instructions.size());
  }
  bool read(RegisterId reg, BlockId block, std::size_t at) {
    const Assigned& assigned = assigned_[reg.index];
    const bool before = assigned.block.valid() &&
                        (assigned.block == block ? assigned.at < at : dominators_.dominates(assigned.block, block));
    return check_.expect(before, "register {} is read before it is assigned", reg.index);
  }

  const Module& module_;
  const Function& function_;
  Dominators dominators_;
  std::vector<Assigned> assigned_;  // by register
  Check check_;
};

}  // namespace

std::string verify_flow(const Module& module, const Function& function) { return FlowVerifier(module, function).run(); }

}  // namespace hawser::ir
