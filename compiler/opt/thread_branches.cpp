// Goes past tests whose answer is known on the way to them.
//
// On each way to a block is known which tests were answered how (as long as nothing has written what they read) and
// what the condition may be. An edge to a block that only asks what is known goes on to where the answer leads. So rules
// that begin with the same ACL ask it once, and what they ask behind it comes to stand one behind the other, where merge_tests
// finds it.
//
// Takes for granted: where the function does not wait, no answer is unknown.
// Leaves behind:     fewer ways to tests; blocks that nothing leads to any more are gone.
#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/ir/effects.h"
#include "compiler/opt/flow.h"
#include "compiler/opt/opt.h"

namespace hawser::opt {
namespace {

using ir::BlockId;
using ir::Op;

constexpr std::uint8_t kAny = ir::kNo | ir::kYes | ir::kUnknown;
constexpr std::size_t kFactsMax = 64;  // known at one place: those that were found out first

constexpr std::uint8_t negated(std::uint8_t answers) noexcept {
  return static_cast<std::uint8_t>((answers & ir::kUnknown) | ((answers & ir::kNo) != 0 ? ir::kYes : 0) |
                                   ((answers & ir::kYes) != 0 ? ir::kNo : 0));
}

// What a test may have answered.
struct Fact {
  std::uint32_t test = 0;
  std::uint8_t answers = kAny;
};

// What is known at a place. The condition may be the answer of a test, or its negation.
struct Known {
  static constexpr std::uint32_t kNoTest = 0xffff'ffff;
  std::vector<Fact> facts;  // ordered by test
  std::uint8_t condition = kAny;
  std::uint32_t asked = kNoTest;
  bool asked_negated = false;

  std::uint8_t answers(std::uint32_t test) const noexcept {
    const auto found = std::lower_bound(facts.begin(), facts.end(), test,
                                        [](const Fact& fact, std::uint32_t number) { return fact.test < number; });
    return found != facts.end() && found->test == test ? found->answers : kAny;
  }
  void learn(std::uint32_t test, std::uint8_t answers) {
    const auto place = std::lower_bound(facts.begin(), facts.end(), test,
                                        [](const Fact& fact, std::uint32_t number) { return fact.test < number; });
    if (place != facts.end() && place->test == test) {
      place->answers = answers;
    } else if (facts.size() < kFactsMax) {
      facts.insert(place, {test, answers});
    }
  }
  // What holds on one way or the other.
  void join(const Known& other) {
    condition |= other.condition;
    asked = kNoTest;
    std::vector<Fact> both;
    for (const Fact& fact : facts) {
      const std::uint8_t either = fact.answers | other.answers(fact.test);
      if (either != kAny) both.push_back({fact.test, either});
    }
    facts = std::move(both);
  }
};

class BranchThreader {
 public:
  BranchThreader(ir::Module& module, ir::Function& function)
      : module_(module),
        function_(function),
        possible_(function.waits() ? kAny : static_cast<std::uint8_t>(kAny & ~ir::kUnknown)) {}

  bool run();

 private:
  void number_tests();
  std::uint32_t test_of(const ir::Instruction& instruction) const;
  void forget(Known& known, abi::Effect written) const;
  void forget_used(Known& known, std::size_t place) const;
  void apply(const ir::Instruction& instruction, Known& known) const;
  void rewrite(ir::Block& block, Known& known);
  void leave(ir::Block& block, const Known& known);
  Known on_edge(const Known& known, std::uint8_t mask) const;
  void go(BlockId& edge, Known known);
  bool passes(const ir::Block& block, Known& known) const;

  ir::Module& module_;
  ir::Function& function_;
  const std::uint8_t possible_;  // answers: where nothing is waited for, none is unknown
  std::map<std::tuple<std::uint32_t, abi::Match, std::uint32_t>, std::uint32_t> numbers_;  // of tests asked twice
  std::vector<abi::Effect> reads_;                                                         // of each test
  std::vector<std::size_t> last_;            // the last block that asks it, in order
  std::vector<std::optional<Known>> known_;  // on the ways to each block so far
  std::vector<bool> matters_;
  std::vector<bool> waited_for_;  // targets of `need`: they are reached anew, after who knows what
  bool changed_ = false;
};

void BranchThreader::number_tests() {
  std::map<std::tuple<std::uint32_t, abi::Match, std::uint32_t>, std::size_t> counts;
  const auto key = [](const ir::Instruction& one) {
    return std::tuple(one.expression.index, one.match, one.set.index);
  };
  const std::vector<BlockId> order = ir::in_order(function_);
  for (const BlockId id : order) {
    for (const ir::Instruction& one : function_.blocks[id].instructions) {
      if (one.op == Op::match) ++counts[key(one)];
    }
  }
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (const ir::Instruction& one : function_.blocks[order[place]].instructions) {
      if (one.op != Op::match || counts[key(one)] < 2 || !is_stable(module_.expression(one.expression))) continue;
      const auto [found, is_new] = numbers_.try_emplace(key(one), static_cast<std::uint32_t>(reads_.size()));
      if (is_new) {
        reads_.push_back(ir::reads(module_.expression(one.expression)) | abi::Effect::sets);
        last_.push_back(place);
      }
      last_[found->second] = place;
    }
  }
}

std::uint32_t BranchThreader::test_of(const ir::Instruction& one) const {
  const auto found = numbers_.find({one.expression.index, one.match, one.set.index});
  return found == numbers_.end() ? Known::kNoTest : found->second;
}

void BranchThreader::forget(Known& known, abi::Effect written) const {
  std::erase_if(known.facts, [&](const Fact& fact) { return abi::overlap(reads_[fact.test], written); });
  if (known.asked != Known::kNoTest && abi::overlap(reads_[known.asked], written)) known.asked = Known::kNoTest;
}

// Answers that nobody asks for behind a place.
void BranchThreader::forget_used(Known& known, std::size_t place) const {
  std::erase_if(known.facts, [&](const Fact& fact) { return last_[fact.test] < place; });
}

void BranchThreader::apply(const ir::Instruction& one, Known& known) const {
  switch (one.op) {
    case Op::match:
      known.asked = test_of(one);
      known.asked_negated = false;
      known.condition = possible_ & (known.asked == Known::kNoTest ? kAny : known.answers(known.asked));
      return;
    case Op::clear:
      known.asked = Known::kNoTest;
      known.condition = ir::kNo;
      return;
    case Op::negate:
      known.asked_negated = !known.asked_negated;
      known.condition = negated(known.condition);
      return;
    case Op::match_register:
    case Op::absorb_or:
    case Op::absorb_and:
      known.asked = Known::kNoTest;
      known.condition = possible_;
      return;
    default: forget(known, ir::writes(one, function_)); return;
  }
}

// A test whose answer is known in the block itself is not asked.
void BranchThreader::rewrite(ir::Block& block, Known& known) {
  std::vector<ir::Instruction> kept;
  for (ir::Instruction& one : block.instructions) {
    apply(one, known);
    const bool answered = one.op == Op::match && (known.condition == ir::kYes || known.condition == ir::kNo);
    if (!answered) {
      kept.push_back(std::move(one));
      continue;
    }
    kept.push_back(ir::plain(Op::clear));
    if (known.condition == ir::kYes) kept.push_back(ir::plain(Op::negate));
    changed_ = true;
  }
  block.instructions = std::move(kept);
}

Known BranchThreader::on_edge(const Known& known, std::uint8_t mask) const {
  Known there = known;
  there.condition &= mask;
  if (there.asked != Known::kNoTest) {
    there.learn(there.asked, there.asked_negated ? negated(there.condition) : there.condition);
  }
  return there;
}

void BranchThreader::leave(ir::Block& block, const Known& known) {
  ir::Terminator& end = block.terminator;
  if (end.end == ir::End::branch) {
    const auto mask = static_cast<std::uint8_t>(end.mask & kAny);
    const bool always = (known.condition & mask) == known.condition;
    const bool never = (known.condition & mask) == 0;
    if (always || never || end.target == end.otherwise) {
      end = ir::jump(always ? end.target : end.otherwise);
      changed_ = true;
    } else {
      go(end.target, on_edge(known, mask));
      go(end.otherwise, on_edge(known, static_cast<std::uint8_t>(kAny & ~mask)));
      if (end.target == end.otherwise) end = ir::jump(end.target);
      return;
    }
  }
  if (ir::goes_back(end)) return;
  Known there = known;
  // It comes by again from later places.
  if (end.end == ir::End::select || end.end == ir::End::select_backend) there.facts.clear();
  ir::for_each_edge(end, [&](BlockId& edge) { go(edge, there); });
}

// Whether a block does nothing but ask what is known; `known` is then what holds behind it.
bool BranchThreader::passes(const ir::Block& block, Known& known) const {
  for (const ir::Instruction& one : block.instructions) {
    if (one.op != Op::match && one.op != Op::clear && one.op != Op::negate) return false;
    apply(one, known);
    if (one.op == Op::match && known.condition == possible_) return false;
  }
  return true;
}

void BranchThreader::go(BlockId& edge, Known known) {
  BlockId at = edge;
  Known there = known;
  bool as_it_was = true;  // nothing that was gone past has set the condition
  for (;;) {
    const ir::Block& block = function_.blocks[at];
    if (waited_for_[at.index] || !passes(block, there)) break;
    as_it_was = as_it_was && block.instructions.empty();
    const ir::Terminator& end = block.terminator;
    if (end.end == ir::End::jump) {
      at = end.target;
    } else if (end.end == ir::End::branch && (there.condition & end.mask) == there.condition) {
      at = end.target;
    } else if (end.end == ir::End::branch && (there.condition & end.mask) == 0) {
      at = end.otherwise;
    } else {
      break;
    }
    if (!as_it_was && matters_[at.index]) continue;
    if (at != edge) changed_ = true;
    edge = at;
    known = there;
    if (as_it_was) continue;
    // The condition there is another one than it was; nobody reads it.
    known.condition = kAny;
    known.asked = Known::kNoTest;
  }
  std::optional<Known>& all = known_[edge.index];
  if (all) {
    all->join(known);
  } else {
    all = std::move(known);
  }
}

bool BranchThreader::run() {
  number_tests();
  matters_ = condition_matters(function_);
  known_.resize(function_.blocks.size());
  waited_for_.resize(function_.blocks.size());
  for (const ir::Block& block : function_.blocks) {
    if (block.terminator.end == ir::End::need) waited_for_[block.terminator.target.index] = true;
  }
  known_[ir::Function::kBegin.index] = Known{};
  known_[ir::Function::kBegin.index]->condition = ir::kNo;
  const std::vector<BlockId> order = ir::in_order(function_);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const BlockId id = order[place];
    if (!known_[id.index]) continue;  // all ways to it go elsewhere now
    Known known = std::move(*known_[id.index]);
    known_[id.index].reset();
    if (waited_for_[id.index]) known = Known{};
    forget_used(known, place);
    rewrite(function_.blocks[id], known);
    leave(function_.blocks[id], known);
  }
  if (changed_) ir::remove_unreachable(function_);
  return changed_;
}

}  // namespace

bool thread_branches(ir::Module& module, ir::Function& function) { return BranchThreader(module, function).run(); }

}  // namespace hawser::opt
