// Conditions as branches.
//
// A disjunction is left at its first `yes`, a conjunction at its first `no`. Where data may still come, a level keeps what it
// has seen so far in a register, because `unknown` decides nothing but must not be forgotten; elsewhere unknown never
// is, and the registers are left out.
#include "compiler/lower/entry_lowering.h"

namespace hawser::compiler {

using ir::kNo;
using ir::kUnknown;
using ir::kYes;
using ir::Op;

void EntryLowering::condition(const model::Condition& condition, Label otherwise) {
  if (!waits()) {
    any_of(condition.any_of);
    // What is not there at a final point does not hold, and `unless` then applies.
    blocks_.branch(condition.unless ? kYes : kNo | kUnknown, otherwise);
    return;
  }
  const Label again = blocks_.begin();
  const Label known = blocks_.label();
  any_of(condition.any_of);
  blocks_.branch(kNo | kYes, known);
  blocks_.need(again);
  blocks_.place(known);
  blocks_.branch(condition.unless ? kYes : kNo, otherwise);
}

void EntryLowering::any_of(const std::vector<std::vector<model::Term>>& terms) {
  const Label done = blocks_.label();
  if (terms.empty()) blocks_.push(ir::plain(Op::clear));
  ir::RegisterId seen;
  for (std::size_t at = 0; at < terms.size(); ++at) {
    const bool last = at + 1 == terms.size();
    all_of(terms[at]);
    if (!last || waits()) blocks_.branch(kYes, done);
    if (!waits()) continue;
    if (at > 0) blocks_.push(ir::with_register(Op::absorb_or, seen));
    if (!last) seen = blocks_.assign(Op::keep);
  }
  blocks_.place(done);
}

void EntryLowering::all_of(const std::vector<model::Term>& terms) {
  const Label done = blocks_.label();
  if (terms.empty()) {
    blocks_.push(ir::plain(Op::clear));
    blocks_.push(ir::plain(Op::negate));
  }
  ir::RegisterId seen;
  for (std::size_t at = 0; at < terms.size(); ++at) {
    const bool last = at + 1 == terms.size();
    acl(config_.acls[terms[at].acl]);
    if (terms[at].negated) blocks_.push(ir::plain(Op::negate));
    if (!waits()) {
      if (!last) blocks_.branch(kNo | kUnknown, done);
      continue;
    }
    blocks_.branch(kNo, done);
    if (at > 0) blocks_.push(ir::with_register(Op::absorb_and, seen));
    if (!last) seen = blocks_.assign(Op::keep);
  }
  blocks_.place(done);
}

void EntryLowering::acl(const model::Acl& acl) {
  const Label done = blocks_.label();
  if (acl.tests.empty()) blocks_.push(ir::plain(Op::clear));
  ir::RegisterId seen;
  for (std::size_t at = 0; at < acl.tests.size(); ++at) {
    const bool last = at + 1 == acl.tests.size();
    test(acl.tests[at]);
    if (!last || waits()) blocks_.branch(kYes, done);
    if (!waits()) continue;
    if (at > 0) blocks_.push(ir::with_register(Op::absorb_or, seen));
    if (!last) seen = blocks_.assign(Op::keep);
  }
  blocks_.place(done);
}

void EntryLowering::test(const model::Test& test) {
  blocks_.push(ir::match(expression(test.sample), test.match, test.set));
}

}  // namespace hawser::compiler
