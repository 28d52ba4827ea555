#include "compiler/ir/instruction.h"

namespace hawser::ir {
namespace {

struct Row {
  std::string_view name;
  std::uint32_t operands = 0;
};

constexpr auto op_rows() noexcept {
  using namespace operand;
  struct Rows {
    Row at[static_cast<std::size_t>(Op::count_)];
  };
  return Rows{{
#define INSTRUCTION(id, operands, ...) {#id, static_cast<std::uint32_t>(operands)},
#include "compiler/ir/ops.def"
  }};
}
constexpr auto end_rows() noexcept {
  using namespace operand;
  using operand::redirect, operand::reply;  // not the functions
  struct Rows {
    Row at[static_cast<std::size_t>(End::count_)];
  };
  return Rows{{
#define TERMINATOR(id, operands, ...) {#id, static_cast<std::uint32_t>(operands)},
#include "compiler/ir/ops.def"
  }};
}
constexpr auto kOps = op_rows();
constexpr auto kEnds = end_rows();

const Row& row(Op op) noexcept {
  HAWSER_CHECK(op < Op::count_);
  return kOps.at[static_cast<std::size_t>(op)];
}
const Row& row(End end) noexcept {
  HAWSER_CHECK(end < End::count_);
  return kEnds.at[static_cast<std::size_t>(end)];
}

}  // namespace

std::uint32_t operands_of(Op op) noexcept { return row(op).operands; }
std::uint32_t operands_of(End end) noexcept { return row(end).operands; }
std::string_view name_of(Op op) noexcept { return row(op).name; }
std::string_view name_of(End end) noexcept { return row(end).name; }

Instruction match(ExpressionId expression, abi::Match match, SetId set) {
  Instruction made;
  made.op = Op::match;
  made.expression = expression;
  made.match = match;
  made.set = set;
  return made;
}

Instruction match_register(RegisterId reg, abi::Match match, SetId set) {
  Instruction made;
  made.op = Op::match_register;
  made.reg = reg;
  made.match = match;
  made.set = set;
  return made;
}

Instruction sample(RegisterId result, ExpressionId expression) {
  Instruction made;
  made.op = Op::sample;
  made.reg = result;
  made.expression = expression;
  return made;
}

Instruction constant(RegisterId result, Value value) {
  Instruction made;
  made.op = Op::constant;
  made.reg = result;
  made.value = std::move(value);
  return made;
}

Instruction plain(Op op) {
  HAWSER_CHECK(operands_of(op) == operand::none);
  Instruction made;
  made.op = op;
  return made;
}

Instruction with_register(Op op, RegisterId reg) {
  HAWSER_CHECK(operands_of(op) == operand::reg || operands_of(op) == operand::result);
  Instruction made;
  made.op = op;
  made.reg = reg;
  return made;
}

Instruction text_constant(std::string text) {
  Instruction made;
  made.op = Op::text_constant;
  made.value = std::move(text);
  return made;
}

Instruction text_sample(RegisterId reg, std::uint16_t flags) {
  Instruction made;
  made.op = Op::text_sample;
  made.reg = reg;
  made.flags = flags;
  return made;
}

Instruction text_alias(abi::AliasId alias, std::uint16_t flags) {
  Instruction made;
  made.op = Op::text_alias;
  made.alias = alias;
  made.flags = flags;
  return made;
}

Instruction act(abi::ActionId action, RegisterId reg, Value value) {
  Instruction made;
  made.op = Op::act;
  made.action = action;
  made.reg = reg;
  made.value = std::move(value);
  return made;
}

Terminator ends(End end) {
  HAWSER_CHECK(operands_of(end) == operand::none);
  Terminator made;
  made.end = end;
  return made;
}

Terminator jump(BlockId target) {
  Terminator made;
  made.end = End::jump;
  made.target = target;
  return made;
}

Terminator branch(std::uint8_t mask, BlockId target, BlockId otherwise) {
  Terminator made;
  made.end = End::branch;
  made.mask = mask;
  made.target = target;
  made.otherwise = otherwise;
  return made;
}

Terminator need(BlockId target) {
  Terminator made;
  made.end = End::need;
  made.target = target;
  return made;
}

Terminator reply(abi::ActionId action, ReplyIndex reply) {
  Terminator made;
  made.end = End::reply;
  made.action = action;
  made.reply = reply;
  return made;
}

Terminator quit(abi::ActionId action) {
  Terminator made;
  made.end = End::quit;
  made.action = action;
  return made;
}

Terminator redirect(RegisterId location, RedirectId redirect) {
  Terminator made;
  made.end = End::redirect;
  made.reg = location;
  made.redirect = redirect;
  return made;
}

Terminator use_backend(ProxyIndex backend) {
  Terminator made;
  made.end = End::use_backend;
  made.backend = backend;
  return made;
}

Terminator use_backend_named(RegisterId name) {
  Terminator made;
  made.end = End::use_backend_named;
  made.reg = name;
  return made;
}

Terminator select(std::vector<Case> cases, BlockId otherwise) {
  Terminator made;
  made.end = End::select;
  made.cases = std::move(cases);
  made.otherwise = otherwise;
  return made;
}

Terminator again(BlockId select) {
  Terminator made;
  made.end = End::again;
  made.target = select;
  return made;
}

Terminator select_backend(std::vector<Case> cases, BlockId otherwise) {
  Terminator made = select(std::move(cases), otherwise);
  made.end = End::select_backend;
  return made;
}

}  // namespace hawser::ir
