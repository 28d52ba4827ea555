// Fetches a value once where it is used several times and nothing in between writes what it reads.
//
// On each way to a block is known which expressions stand in which register (registers are assigned once, so they keep
// them). Where all ways agree, a `sample` of such an expression is left out and its register is the other one; a `match` of a
// value that has no several occurrences looks at the register.
//
// Takes for granted: registers are assigned once.
// Leaves behind:     as many instructions; each expression is worked out at most as often as before.
// Does not touch:    values that are another one each time; tests that go through occurrences, or cast.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/effects.h"
#include "compiler/opt/flow.h"
#include "compiler/opt/opt.h"

namespace hawser::opt {
namespace {

using ir::BlockId;
using ir::ExpressionId;
using ir::Op;
using ir::RegisterId;

// Which registers hold expressions at a place.
using Held = std::map<ExpressionId, RegisterId>;

class SampleKeeper {
 public:
  SampleKeeper(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  bool run();

 private:
  void look_around();
  bool is_use(const ir::Instruction& one) const;
  void block(ir::Block& block, Held& held);
  void forget(Held& held, abi::Effect written) const;
  void enter(BlockId block, const Held& held);
  void rename();

  ir::Module& module_;
  ir::Function& function_;
  std::map<ExpressionId, std::size_t> uses_;
  std::map<ExpressionId, std::size_t> last_;  // the last block that uses it, in order
  abi::Effect written_ = abi::Effect::none;   // by any instruction
  std::vector<bool> waited_for_;              // targets of `need`
  std::vector<std::optional<Held>> held_;     // on the ways to each block so far
  std::map<RegisterId, RegisterId> same_;     // registers that are left out
  bool changed_ = false;
};

// What a register can serve.
bool SampleKeeper::is_use(const ir::Instruction& one) const {
  if (one.op == Op::sample) return is_stable(module_.expression(one.expression));
  if (one.op != Op::match) return false;
  const ir::Expression& expression = module_.expression(one.expression);
  return is_stable(expression) && !expression.many() && ir::fits(expression.type(), one.match);
}

void SampleKeeper::look_around() {
  const std::vector<BlockId> order = ir::in_order(function_);
  waited_for_.resize(function_.blocks.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const ir::Block& block = function_.blocks[order[place]];
    for (const ir::Instruction& one : block.instructions) {
      written_ = written_ | ir::writes(one, function_);
      if (!is_use(one)) continue;
      ++uses_[one.expression];
      last_[one.expression] = place;
    }
    if (block.terminator.end == ir::End::need) waited_for_[block.terminator.target.index] = true;
  }
}

void SampleKeeper::forget(Held& held, abi::Effect written) const {
  if (written == abi::Effect::none) return;
  std::erase_if(held, [&](const auto& one) { return abi::overlap(ir::reads(module_.expression(one.first)), written); });
}

void SampleKeeper::block(ir::Block& block, Held& held) {
  std::vector<ir::Instruction> kept;
  for (ir::Instruction& one : block.instructions) {
    if (!is_use(one) || uses_[one.expression] < 2) {
      forget(held, ir::writes(one, function_));
      kept.push_back(std::move(one));
      continue;
    }
    const auto found = held.find(one.expression);
    if (found != held.end() && one.op == Op::sample) {
      same_[one.reg] = found->second;
      changed_ = true;
      continue;
    }
    RegisterId reg = one.op == Op::sample ? one.reg : found != held.end() ? found->second : function_.add_register();
    if (found == held.end()) {
      held[one.expression] = reg;
      kept.push_back(ir::sample(reg, one.expression));
    }
    if (one.op != Op::match) continue;
    kept.push_back(ir::match_register(reg, one.match, one.set));
    changed_ = true;
  }
  block.instructions = std::move(kept);
}

void SampleKeeper::enter(BlockId block, const Held& held) {
  std::optional<Held>& all = held_[block.index];
  if (!all) {
    all = held;
    return;
  }
  std::erase_if(*all, [&](const auto& one) {
    const auto other = held.find(one.first);
    return other == held.end() || other->second != one.second;
  });
}

void SampleKeeper::rename() {
  const auto renamed = [&](RegisterId reg) {
    const auto found = same_.find(reg);
    return found == same_.end() ? reg : found->second;
  };
  for (ir::Block& block : function_.blocks) {
    for (ir::Instruction& one : block.instructions) {
      if (ir::reads_register(one)) one.reg = renamed(one.reg);
    }
    if (ir::has(block.terminator, ir::operand::reg)) block.terminator.reg = renamed(block.terminator.reg);
  }
}

bool SampleKeeper::run() {
  look_around();
  held_.resize(function_.blocks.size());
  held_[ir::Function::kBegin.index] = Held{};
  const std::vector<BlockId> order = ir::in_order(function_);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const BlockId id = order[place];
    Held held = std::move(*held_[id.index]);
    held_[id.index].reset();
    if (waited_for_[id.index]) held.clear();
    std::erase_if(held, [&](const auto& one) { return last_[one.first] < place; });
    block(function_.blocks[id], held);
    const ir::Terminator& end = function_.blocks[id].terminator;
    if (ir::goes_back(end)) continue;
    // A select comes by again from later places.
    if (end.end == ir::End::select) forget(held, written_);
    ir::for_each_edge(end, [&](BlockId to) { enter(to, held); });
  }
  if (!same_.empty()) rename();
  return changed_;
}

}  // namespace

bool fetch_once(ir::Module& module, ir::Function& function) { return SampleKeeper(module, function).run(); }

}  // namespace hawser::opt
