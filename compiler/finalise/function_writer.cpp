#include "compiler/finalise/function_writer.h"

#include "runtime/base/check.h"

namespace hawser::compiler {

using abi::Constant;
using abi::Op;

Constant index_constant(Constant::Kind kind, std::uint32_t index) {
  Constant constant;
  constant.kind = kind;
  constant.index = index;
  return constant;
}

void FunctionWriter::write() {
  for (std::size_t at = 0; at < function_.blocks.size(); ++at) blocks_.push_back(draft_.label());
  const std::vector<ir::BlockId> order = ir::in_order(function_);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const ir::Block& block = function_.blocks[order[at]];
    draft_.place(blocks_[order[at].index]);
    for (const ir::Instruction& one : block.instructions) instruction(one);
    terminator(block.terminator, order[at], at + 1 < order.size() ? order[at + 1] : ir::BlockId());
  }
}

void FunctionWriter::instruction(const ir::Instruction& one) {
  const Draft::Operands reg{.reg = one.reg.index};
  switch (one.op) {
    case ir::Op::match: match(one); return;
    case ir::Op::match_register: test(one.reg.index, one.match, one.set); return;
    case ir::Op::sample:
      draft_.step(Op::fetch, fetch(expression(one.expression), one.reg.index, false));
      converters(expression(one.expression), one.reg.index);
      return;
    case ir::Op::constant: draft_.step(Op::load, {.reg = one.reg.index, .b = constant(one.value)}); return;
    case ir::Op::clear: draft_.step(Op::clear_condition); return;
    case ir::Op::negate: draft_.step(Op::negate); return;
    case ir::Op::keep: draft_.step(Op::keep_condition, reg); return;
    case ir::Op::absorb_or: draft_.step(Op::absorb_or, reg); return;
    case ir::Op::absorb_and: draft_.step(Op::absorb_and, reg); return;
    case ir::Op::text_begin: draft_.step(Op::text_begin); return;
    case ir::Op::text_constant: draft_.step(Op::text_constant, {.b = constant(one.value)}); return;
    case ir::Op::text_separator: draft_.step(Op::text_separator); return;
    case ir::Op::text_sample: draft_.step(Op::text_sample, {.reg = one.reg.index, .a = one.flags}); return;
    case ir::Op::text_alias:
      draft_.step(Op::text_alias, {.a = static_cast<std::uint16_t>(one.alias), .b = one.flags});
      return;
    case ir::Op::text_end: draft_.step(Op::text_end, reg); return;
    case ir::Op::act: act(one); return;
    case ir::Op::reply_field: draft_.step(Op::reply_field, reg); return;
    case ir::Op::reply_body: draft_.step(Op::reply_body, reg); return;
    case ir::Op::suspend: draft_.step(Op::test_suspend); return;
    case ir::Op::count_: break;
  }
  HAWSER_CHECK(one.op < ir::Op::count_);
}

// The step has a register always, also for an action that wants none.
void FunctionWriter::act(const ir::Instruction& one) {
  const bool fields = !std::holds_alternative<model::Variable>(one.value);
  draft_.step(Op::act, {.reg = one.reg.valid() ? one.reg.index : draft_.take(),
                        .a = static_cast<std::uint16_t>(one.action),
                        .b = constant(one.value),
                        .flags = fields ? response_flag() : std::uint8_t{0}});
}

void FunctionWriter::terminator(const ir::Terminator& one, ir::BlockId block, ir::BlockId next) {
  const auto index = [&](Constant::Kind kind, std::uint32_t at) { return draft_.constant(index_constant(kind, at)); };
  switch (one.end) {
    case ir::End::jump:
      if (one.target != next) draft_.jump(Op::jump, {}, at(one.target));
      return;
    case ir::End::branch: branch(one, next); return;
    case ir::End::need: draft_.jump(Op::need, {}, at(one.target)); return;
    case ir::End::next: draft_.step(Op::next); return;
    case ir::End::stop: draft_.step(Op::stop); return;
    case ir::End::reply:
      draft_.step(Op::reply,
                  {.a = static_cast<std::uint16_t>(one.action), .b = index(Constant::Kind::reply, one.reply.index)});
      return;
    case ir::End::quit: draft_.step(Op::quit, {.a = static_cast<std::uint16_t>(one.action)}); return;
    case ir::End::redirect:
      draft_.step(Op::redirect, {.reg = one.reg.index, .b = index(Constant::Kind::redirect, one.redirect.index)});
      return;
    case ir::End::use_backend:
      draft_.step(Op::use_backend, {.b = index(Constant::Kind::backend, one.backend.index)});
      return;
    case ir::End::use_backend_named: draft_.step(Op::use_backend_named, {.reg = one.reg.index}); return;
    case ir::End::emit: draft_.step(Op::emit); return;
    case ir::End::select: select(one, block); return;
    case ir::End::again: again(one); return;
    case ir::End::select_backend: select_backend(one, block); return;
    case ir::End::count_: break;
  }
  HAWSER_CHECK(one.end < ir::End::count_);
}

void FunctionWriter::branch(const ir::Terminator& one, ir::BlockId next) {
  constexpr std::uint8_t kAlways = ir::kNo | ir::kYes | ir::kUnknown;
  if (one.target == next) {
    const auto others = static_cast<std::uint16_t>(kAlways & ~one.mask);
    if (one.otherwise != next) draft_.jump(Op::jump_if, {.a = others}, at(one.otherwise));
    return;
  }
  draft_.jump(Op::jump_if, {.a = one.mask}, at(one.target));
  if (one.otherwise != next) draft_.jump(Op::jump, {}, at(one.otherwise));
}

}  // namespace hawser::compiler
