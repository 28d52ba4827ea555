// Selects as steps: one look-up for each expression of its cases, then jumps by the number of the case that was found.
//
//     select_begin s count
//   again:                       for each expression, or type that it is cast to:
//     fetch, converters, cast; select; fetch_next
//     jump_found s -> otherwise, and a jump for each case     or     jump_unless_found s -> otherwise, use_backend_found s
#include "compiler/finalise/function_writer.h"
#include "runtime/kernels/matchers.h"

namespace hawser::compiler {
namespace {

using abi::Constant;
using abi::Op;

// The tests of a select that share one look-up: they fetch the same value and cast it to the same type.
struct Look {
  ir::ExpressionId expression;
  abi::SampleType input{};
  std::vector<abi::ChoiceCase> cases;
};

Look& look_for(std::vector<Look>& looks, const ir::Case& one) {
  const abi::SampleType input = kernels::match_input(one.match);
  for (Look& look : looks) {
    if (look.expression == one.expression && look.input == input) return look;
  }
  looks.push_back({one.expression, input, {}});
  return looks.back();
}

// Tests that stand one behind the other and go to the same block are one case.
bool same_case(const ir::Terminator& select, std::size_t at) {
  return at > 0 && select.end == ir::End::select && select.cases[at - 1].target == select.cases[at].target;
}

}  // namespace

std::uint16_t FunctionWriter::select_tests(const ir::Terminator& one, ir::BlockId block) {
  std::vector<Look> looks;
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < one.cases.size(); ++at) {
    if (!same_case(one, at)) ++count;
    const ir::Case& test = one.cases[at];
    abi::ChoiceCase row;
    row.number = count - 1;
    row.set = test.set.valid() ? test.set.index : abi::kNoSet;
    row.match = test.match;
    look_for(looks, test).cases.push_back(row);
  }
  const std::uint16_t selector = draft_.take_selector();
  draft_.step(Op::select_begin, {.a = selector, .b = count});
  selects_[block.index] = {selector, draft_.label()};
  draft_.place(selects_[block.index].again);
  for (const Look& look : looks) look_up(look.expression, look.cases, selector);
  return selector;
}

// Every occurrence is looked up: a later one may match an earlier case.
void FunctionWriter::look_up(ir::ExpressionId id, const std::vector<abi::ChoiceCase>& cases, std::uint16_t selector) {
  const ir::Expression& source = expression(id);
  const Register value = draft_.take();
  const Draft::Operands call = fetch(source, value, true);
  const Label next = draft_.label();
  draft_.step(Op::fetch, call);
  draft_.place(next);
  converters(source, value);
  cast(source.type(), value, cases.front().match);
  const std::uint32_t choice = draft_.constant(index_constant(Constant::Kind::choice, program_.choice(cases)));
  draft_.step(Op::select, {.reg = value, .a = selector, .b = choice});
  if (source.many()) draft_.jump(Op::fetch_next, call, next);
}

void FunctionWriter::select(const ir::Terminator& one, ir::BlockId block) {
  const std::uint16_t selector = select_tests(one, block);
  draft_.jump(Op::jump_found, {.a = selector}, at(one.otherwise));
  for (std::size_t of = 0; of < one.cases.size(); ++of) {
    if (!same_case(one, of)) draft_.listed_jump(at(one.cases[of].target));
  }
}

void FunctionWriter::select_backend(const ir::Terminator& one, ir::BlockId block) {
  const std::uint16_t selector = select_tests(one, block);
  draft_.jump(Op::jump_unless_found, {.a = selector}, at(one.otherwise));
  std::uint32_t first = abi::kNoConstant;
  for (const ir::Case& test : one.cases) {
    const std::uint32_t at = draft_.constant(index_constant(Constant::Kind::backend, test.backend.index));
    if (first == abi::kNoConstant) first = at;
  }
  draft_.step(Op::use_backend_found, {.a = selector, .b = first});
}

// What stands behind is never reached: a case was found, or its block would not run.
void FunctionWriter::again(const ir::Terminator& one) {
  const Select& select = selects_.at(one.target.index);
  draft_.jump(Op::select_again, {.a = select.selector}, select.again);
  draft_.step(Op::next);
}

}  // namespace hawser::compiler
