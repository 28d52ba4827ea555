// Conditions as jumps.
//
// A disjunction is left at its first `yes`, a conjunction at its first `no`. Where data may still come, a level keeps what it
// has seen so far in a register, because `unknown` decides nothing but must not be forgotten; elsewhere unknown never
// is, and the registers are left out. `none` of a level is how it begins: `no` for "any of", `yes` for "all of".
#include "compiler/lower/writer.h"
#include "runtime/abi/rows.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"

namespace hawser::compiler {
namespace {

using abi::Op;

// Masks of jump_if.
constexpr std::uint16_t kNo = 1;
constexpr std::uint16_t kYes = 2;
constexpr std::uint16_t kUnknown = 4;

}  // namespace

void EntryLowering::condition(const model::Condition& condition, Label otherwise) {
  const Label again = function_.label();
  function_.place(again);
  any_of(condition.any_of);
  if (!waits()) {
    // What is not there at a final point does not hold, and `unless` then applies.
    const std::uint16_t fails = condition.unless ? kYes : kNo | kUnknown;
    function_.jump(Op::jump_if, {.a = fails}, otherwise);
    return;
  }
  const Label known = function_.label();
  function_.jump(Op::jump_if, {.a = kNo | kYes}, known);
  function_.jump(Op::need, {}, again);
  function_.place(known);
  function_.jump(Op::jump_if, {.a = condition.unless ? kYes : kNo}, otherwise);
}

void EntryLowering::any_of(const std::vector<std::vector<model::Term>>& terms) {
  const Label done = function_.label();
  if (terms.empty()) function_.step(Op::clear_condition);
  const TakenRegister seen(function_);
  for (std::size_t at = 0; at < terms.size(); ++at) {
    const bool last = at + 1 == terms.size();
    all_of(terms[at]);
    if (!last || waits()) function_.jump(Op::jump_if, {.a = kYes}, done);
    if (!waits()) continue;
    if (at > 0) function_.step(Op::absorb_or, {.reg = seen});
    if (!last) function_.step(Op::keep_condition, {.reg = seen});
  }
  function_.place(done);
}

void EntryLowering::all_of(const std::vector<model::Term>& terms) {
  const Label done = function_.label();
  if (terms.empty()) {
    function_.step(Op::clear_condition);
    function_.step(Op::negate);
  }
  const TakenRegister seen(function_);
  for (std::size_t at = 0; at < terms.size(); ++at) {
    const bool last = at + 1 == terms.size();
    acl(program_.config().acls[terms[at].acl]);
    if (terms[at].negated) function_.step(Op::negate);
    if (!waits()) {
      if (!last) function_.jump(Op::jump_if, {.a = kNo | kUnknown}, done);
      continue;
    }
    function_.jump(Op::jump_if, {.a = kNo}, done);
    if (at > 0) function_.step(Op::absorb_and, {.reg = seen});
    if (!last) function_.step(Op::keep_condition, {.reg = seen});
  }
  function_.place(done);
}

void EntryLowering::acl(const model::Acl& acl) {
  const Label done = function_.label();
  if (acl.tests.empty()) function_.step(Op::clear_condition);
  const TakenRegister seen(function_);
  for (std::size_t at = 0; at < acl.tests.size(); ++at) {
    const bool last = at + 1 == acl.tests.size();
    test(acl.tests[at]);
    if (!last || waits()) function_.jump(Op::jump_if, {.a = kYes}, done);
    if (!waits()) continue;
    if (at > 0) function_.step(Op::absorb_or, {.reg = seen});
    if (!last) function_.step(Op::keep_condition, {.reg = seen});
  }
  function_.place(done);
}

// Goes through the occurrences of a sample that has several, until one matches.
void EntryLowering::test(const model::Test& test) {
  const abi::FetchRow& fetch = abi::row(test.sample.fetch);
  const TakenRegister reg(function_);
  const TakenRegister seen(function_);
  const auto flags = static_cast<std::uint8_t>(abi::fetch_every | (in_response() ? abi::fetch_response : 0));
  const FunctionBuilder::Operands call{.reg = reg,
                                       .a = static_cast<std::uint16_t>(test.sample.fetch),
                                       .b = fetch_arguments(test.sample),
                                       .flags = flags};
  function_.step(Op::fetch, call);
  if (fetch.many && waits()) {
    function_.step(Op::clear_condition);
    function_.step(Op::keep_condition, {.reg = seen});
  }
  const Label again = function_.label();
  const Label done = function_.label();
  function_.place(again);
  converters(test.sample, reg);
  const abi::SampleType input = kernels::match_input(test.match);
  const abi::SampleType type =
      test.sample.converters.empty() ? fetch.result : abi::row(test.sample.converters.back().converter).output;
  const bool fits =
      input == abi::SampleType::any || type == input || (kernels::is_text(type) && kernels::is_text(input));
  if (!fits) function_.step(Op::cast, {.reg = reg, .a = static_cast<std::uint16_t>(input)});
  const std::uint32_t set =
      test.set.valid() ? index_constant(abi::Constant::Kind::set, test.set.index) : abi::kNoConstant;
  function_.step(Op::test, {.reg = reg, .a = static_cast<std::uint16_t>(test.match), .b = set});
  if (fetch.many) {
    function_.jump(Op::jump_if, {.a = kYes}, done);
    if (waits()) {
      function_.step(Op::absorb_or, {.reg = seen});
      function_.step(Op::keep_condition, {.reg = seen});
    }
    function_.jump(Op::fetch_next, call, again);
  }
  function_.place(done);
}

}  // namespace hawser::compiler
