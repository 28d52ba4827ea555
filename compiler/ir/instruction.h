// Instructions and terminators: plain values, whose members mean something as their rows of ops.def say.
//
// There is one implicit condition, three-valued as in the Program: no, yes, unknown (more data may decide). Registers are
// virtual and assigned once, by one instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ir/expression.h"

namespace hawser::ir {

using model::SetId;
using BlockId = Id<struct BlockTag>;
using RegisterId = Id<struct RegisterTag>;
using RedirectId = Id<struct RedirectTag>;
using ProxyIndex = Id<struct ProxyIndexTag>;  // of the Plan's and the Program's proxies
using ReplyIndex = Id<struct ReplyIndexTag>;  // of the Plan's replies

enum class Op : std::uint8_t {
#define INSTRUCTION(id, ...) id,
#include "compiler/ir/ops.def"
  count_
};
enum class End : std::uint8_t {
#define TERMINATOR(id, ...) id,
#include "compiler/ir/ops.def"
  count_
};

// Which members of an Instruction or Terminator mean something, in the order in which they are printed.
namespace operand {
enum : std::uint32_t {
  none = 0,
  result = 1 << 0,  // reg, assigned here
  mask = 1 << 1,
  action = 1 << 2,
  alias = 1 << 3,
  reg = 1 << 4,           // reg, read
  optional_reg = 1 << 5,  // reg, read if it is valid
  expression = 1 << 6,
  test = 1 << 7,  // match and set
  value = 1 << 8,
  flags = 1 << 9,  // abi::FormatFlags
  redirect = 1 << 10,
  reply = 1 << 11,
  backend = 1 << 12,
  cases = 1 << 13,
  target = 1 << 14,
  otherwise = 1 << 15,
};
}  // namespace operand

std::uint32_t operands_of(Op op) noexcept;
std::uint32_t operands_of(End end) noexcept;
std::string_view name_of(Op op) noexcept;
std::string_view name_of(End end) noexcept;

// The name of a field that an action edits, in lower case.
struct FieldName {
  std::string name;
};

// A constant: of `constant` and `text_constant` a text or an integer; of `act` what the action wants.
using Value = std::variant<std::monostate, std::string, std::int64_t, FieldName, model::Variable, SetId>;

struct Instruction {
  Op op{};
  abi::Match match{};
  abi::ActionId action{};
  abi::AliasId alias{};
  std::uint16_t flags = 0;
  RegisterId reg;
  ExpressionId expression;
  SetId set;  // none for the methods found and boolean
  Value value;
};

// Masks of `branch`.
enum Mask : std::uint8_t { kNo = 1, kYes = 2, kUnknown = 4 };

// One test of select (with a target) or select_backend (with a backend), in the order of the rules: the first that
// matches wins, whatever the order of the occurrences. Tests of select that stand one behind the other and go to the same
// block are one case: an ACL of several lines.
struct Case {
  ExpressionId expression;
  abi::Match match{};
  SetId set;
  BlockId target;
  ProxyIndex backend;
};

// A select works as follows. It looks for the first case that any occurrence of the case's expression matches, by one
// look-up an expression, and goes there. Where that case's other terms fail, or its action goes on, `again B` goes back to the
// select that ends block B, which then looks at the cases behind the one that it found; expressions are read again. A select
// stands only where no data is waited for.
struct Terminator {
  End end{};
  std::uint8_t mask = 0;
  abi::ActionId action{};
  RegisterId reg;
  RedirectId redirect;
  ReplyIndex reply;
  ProxyIndex backend;
  BlockId target;
  BlockId otherwise;
  std::vector<Case> cases;
};

inline bool has(const Instruction& instruction, std::uint32_t operand) noexcept {
  return (operands_of(instruction.op) & operand) != 0;
}
inline bool has(const Terminator& terminator, std::uint32_t operand) noexcept {
  return (operands_of(terminator.end) & operand) != 0;
}
inline bool assigns(const Instruction& instruction) noexcept { return has(instruction, operand::result); }
inline bool reads_register(const Instruction& instruction) noexcept {
  return has(instruction, operand::reg | operand::optional_reg) && instruction.reg.valid();
}

// Calls `visit(BlockId&)` for each edge; `need` and `again` are edges back.
template <class TerminatorT, class Visit>
void for_each_edge(TerminatorT& terminator, const Visit& visit) {
  if (has(terminator, operand::target)) visit(terminator.target);
  if (terminator.end == End::select) {
    for (auto& one : terminator.cases) visit(one.target);
  }
  if (has(terminator, operand::otherwise)) visit(terminator.otherwise);
}
inline bool goes_back(const Terminator& terminator) noexcept {
  return terminator.end == End::need || terminator.end == End::again;
}

// Instructions as they are written.
Instruction match(ExpressionId expression, abi::Match match, SetId set);
Instruction match_register(RegisterId reg, abi::Match match, SetId set);
Instruction sample(RegisterId result, ExpressionId expression);
Instruction constant(RegisterId result, Value value);
Instruction plain(Op op);                      // without operands
Instruction with_register(Op op, RegisterId);  // with a register alone: the result, or what is read
Instruction text_constant(std::string text);
Instruction text_sample(RegisterId reg, std::uint16_t flags);
Instruction text_alias(abi::AliasId alias, std::uint16_t flags);
Instruction act(abi::ActionId action, RegisterId reg, Value value);

Terminator ends(End end);  // without operands
Terminator jump(BlockId target);
Terminator branch(std::uint8_t mask, BlockId target, BlockId otherwise);
Terminator need(BlockId target);
Terminator reply(abi::ActionId action, ReplyIndex reply);
Terminator quit(abi::ActionId action);
Terminator redirect(RegisterId location, RedirectId redirect);
Terminator use_backend(ProxyIndex backend);
Terminator use_backend_named(RegisterId name);
Terminator select(std::vector<Case> cases, BlockId otherwise);
Terminator again(BlockId select);
Terminator select_backend(std::vector<Case> cases, BlockId otherwise);

}  // namespace hawser::ir
