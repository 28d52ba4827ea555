// Replaces runs of tests by one look-up for each value that they look at.
//
// A run is a chain of blocks, each a test and nothing else but for the first, that follow each other where the answer is
// no: the tests of an ACL, the terms of an "or", rules one behind the other, a list of use_backend. `select` goes to the
// first of them that matches. Where this rule turns out not to apply after all (another term fails), or its action goes
// on, the way back into the chain becomes `again`: the select then looks at the cases behind the one it found, and reads
// values anew, as the chain would have done.
//
// Takes for granted: no answer is unknown (the function does not wait); the condition is not read behind the tests.
// Leaves behind:     the same rules apply in the same order, each as often; no test was copied.
// Does not touch:    tests of values that are another one each time; runs too short to be worth a look-up.
#include <algorithm>
#include <map>

#include "compiler/ir/dominators.h"
#include "compiler/opt/flow.h"
#include "compiler/opt/opt.h"
#include "runtime/kernels/matchers.h"

namespace hawser::opt {
namespace {

using abi::Match;
using ir::BlockId;

// So many patterns of one value and they are looked up (tests/bench/exec: fewer are as fast one by one).
constexpr std::size_t kPatternsMin = 4;

// Whether a Choice finds patterns of this method without trying them one by one.
bool is_indexed(Match match) noexcept {
  return match == Match::string || match == Match::binary || match == Match::begin || match == Match::end ||
         match == Match::integer || match == Match::length || match == Match::ip;
}

class TestMerger {
 public:
  TestMerger(ir::Module& module, ir::Function& function)
      : module_(module),
        function_(function),
        ways_(ways_to(function)),
        dominators_(function),
        matters_(condition_matters(function)),
        seen_(function.blocks.size(), false),
        place_(function.blocks.size(), 0) {}

  bool run() {
    for (const BlockId block : ir::in_order(function_)) {
      if (seen_[block.index]) continue;
      collect(block);
      for (std::size_t at = 0; at < chain_.size(); ++at) way_in(at);
      if (!chain_.empty()) merge_worthwhile(0, chain_.size());
    }
    return changed_;
  }

 private:
  struct Link {
    BlockId block;
    TailTest test;
    ir::ExpressionId expression;
    Match match{};
    ir::SetId set;
    bool cut = false;  // a way leads here that no `again` can take the place of: a select may begin here, not go on
    std::vector<BlockId> back;  // the blocks of the case before that come here
  };
  using Look = std::pair<std::uint32_t, abi::SampleType>;

  // Not one of the blocks that go back to a select.
  bool is_old(BlockId block) const noexcept { return block.index < ways_.size(); }
  bool matters(BlockId block) const noexcept { return is_old(block) && matters_[block.index]; }
  bool add(BlockId block, bool first);
  void collect(BlockId first);
  void way_in(std::size_t at);
  bool comes_from_case(BlockId from, std::size_t begin, std::size_t at) const;
  std::size_t patterns(const Link& link) const;
  Look look(const Link& link) const { return {link.expression.index, kernels::match_input(link.match)}; }
  void merge_worthwhile(std::size_t begin, std::size_t end);
  void merge(std::size_t begin, std::size_t end);
  void replace(std::size_t begin, std::size_t end);
  bool chooses_backend(BlockId block) const;

  ir::Module& module_;
  ir::Function& function_;
  std::vector<std::vector<BlockId>> ways_;
  ir::Dominators dominators_;
  std::vector<bool> matters_;
  std::vector<bool> seen_;
  std::vector<std::size_t> place_;  // in the chain, of those that are in it
  std::vector<Link> chain_;
  bool changed_ = false;
};

bool TestMerger::add(BlockId id, bool first) {
  const ir::Block& block = function_.blocks[id];
  const std::optional<TailTest> test = tail_test(block);
  if (!test || (!first && test->at != 0)) return false;
  if (matters(test->yes) || matters(test->no)) return false;
  const ir::Instruction& match = block.instructions[test->at];
  if (!is_stable(module_.expression(match.expression))) return false;
  chain_.push_back({id, *test, match.expression, match.match, match.set, false, {}});
  seen_[id.index] = true;
  place_[id.index] = chain_.size() - 1;
  return true;
}

void TestMerger::collect(BlockId first) {
  chain_.clear();
  if (!add(first, true)) return;
  for (BlockId next = chain_.back().test.no; is_old(next) && !seen_[next.index]; next = chain_.back().test.no) {
    if (!add(next, false)) return;
  }
}

// Whether `from` is reached through the case of the tests before `at` alone: those from `begin` on, with one target.
bool TestMerger::comes_from_case(BlockId from, std::size_t begin, std::size_t at) const {
  const BlockId target = chain_[at - 1].test.yes;
  if (target == chain_[at].block || !is_old(target) || !dominators_.dominates(target, from)) return false;
  if (at < chain_.size() && chain_[at].test.yes == target) return false;  // it would go on with the same case
  std::size_t first = at;
  while (first > begin && chain_[first - 1].test.yes == target) --first;
  const std::vector<BlockId>& ways = ways_[target.index];
  return std::all_of(ways.begin(), ways.end(), [&](BlockId way) {
    const std::size_t place = place_[way.index];
    return first <= place && place < at && chain_[place].block == way;
  });
}

void TestMerger::way_in(std::size_t at) {
  Link& link = chain_[at];
  link.cut = at == 0 || chain_[at - 1].test.yes == link.block;
  for (const BlockId from : ways_[link.block.index]) {
    if (at == 0 || from == chain_[at - 1].block) continue;
    link.cut = link.cut || !comes_from_case(from, 0, at);
    link.back.push_back(from);
  }
}

std::size_t TestMerger::patterns(const Link& link) const {
  return is_indexed(link.match) && link.set.valid() ? module_.sets[link.set].patterns.size() : 0;
}

// Leaves out the tests of values that are looked at too seldom: what lies between them is looked at again.
void TestMerger::merge_worthwhile(std::size_t begin, std::size_t end) {
  std::map<Look, std::size_t> weights;
  for (std::size_t at = begin; at < end; ++at) weights[look(chain_[at])] += patterns(chain_[at]);
  const auto too_few = [&](const Link& link) { return weights[look(link)] < kPatternsMin; };
  const bool all =
      std::none_of(weights.begin(), weights.end(), [](const auto& one) { return one.second < kPatternsMin; });
  std::size_t from = begin;
  for (std::size_t at = begin; at <= end; ++at) {
    const bool stop = at == end || too_few(chain_[at]);
    if (!stop && !(chain_[at].cut && at > from)) continue;
    if (all && from == begin && at == end) {
      merge(from, at);
    } else if (from < at) {
      merge_worthwhile(from, at);
    }
    from = stop ? at + 1 : at;
  }
}

// The case before a way back may have lost tests that now belong to the select before.
void TestMerger::merge(std::size_t begin, std::size_t end) {
  std::size_t from = begin;
  for (std::size_t at = begin + 1; at < end; ++at) {
    const std::vector<BlockId>& back = chain_[at].back;
    if (std::all_of(back.begin(), back.end(), [&](BlockId one) { return comes_from_case(one, from, at); })) continue;
    replace(from, at);
    from = at;
  }
  replace(from, end);
}

void TestMerger::replace(std::size_t begin, std::size_t end) {
  const BlockId first = chain_[begin].block;
  const auto links = std::span(chain_).subspan(begin, end - begin);
  std::vector<ir::Case> cases;
  for (const Link& link : links) cases.push_back({link.expression, link.match, link.set, link.test.yes, {}});
  BlockId again;
  for (std::size_t at = begin + 1; at < end; ++at) {
    for (const BlockId from : chain_[at].back) {
      if (!again.valid()) {
        again = function_.add_block();
        function_.blocks[again].terminator = ir::again(first);
      }
      ir::for_each_edge(function_.blocks[from].terminator, [&](BlockId& target) {
        if (target == chain_[at].block) target = again;
      });
    }
  }
  ir::Block& block = function_.blocks[first];
  block.instructions.resize(chain_[begin].test.at);
  const bool backends =
      std::all_of(links.begin(), links.end(), [&](const Link& link) { return chooses_backend(link.test.yes); });
  if (backends) {
    for (ir::Case& one : cases) {
      one.backend = function_.blocks[one.target].terminator.backend;
      one.target = {};
    }
  }
  const BlockId otherwise = links.back().test.no;
  block.terminator =
      backends ? ir::select_backend(std::move(cases), otherwise) : ir::select(std::move(cases), otherwise);
  changed_ = true;
}

bool TestMerger::chooses_backend(BlockId id) const {
  const ir::Block& block = function_.blocks[id];
  return block.instructions.empty() && block.terminator.end == ir::End::use_backend;
}

}  // namespace

bool merge_tests(ir::Module& module, ir::Function& function) {
  if (function.waits()) return false;
  const bool changed = TestMerger(module, function).run();
  if (changed) ir::remove_unreachable(function);
  return changed;
}

}  // namespace hawser::opt
