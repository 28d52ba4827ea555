// Expressions and tests as steps: the loop over occurrences, converters, casts.
#include "compiler/finalise/function_writer.h"
#include "runtime/kernels/matchers.h"

namespace hawser::compiler {

using abi::Constant;
using abi::Op;

Draft::Operands FunctionWriter::fetch(const ir::Expression& expression, Register reg, bool every) {
  std::uint32_t arguments = abi::kNoConstant;
  if (!expression.args.empty()) {
    arguments = draft_.constant(program_.arguments(expression.fetch, expression.args));
  }
  const auto flags =
      static_cast<std::uint8_t>((every ? abi::fetch_every : 0) | (expression.of_response ? abi::fetch_response : 0));
  return {.reg = reg, .a = static_cast<std::uint16_t>(expression.fetch), .b = arguments, .flags = flags};
}

void FunctionWriter::converters(const ir::Expression& expression, Register reg) {
  for (const ir::Conversion& conversion : expression.converters) {
    std::uint32_t arguments = abi::kNoConstant;
    if (!conversion.args.empty()) arguments = draft_.constant(program_.arguments(conversion.args));
    draft_.step(Op::convert, {.reg = reg, .a = static_cast<std::uint16_t>(conversion.converter), .b = arguments});
  }
}

void FunctionWriter::cast(abi::SampleType type, Register reg, abi::Match match) {
  if (ir::fits(type, match)) return;
  draft_.step(Op::cast, {.reg = reg, .a = static_cast<std::uint16_t>(kernels::match_input(match))});
}

void FunctionWriter::test(Register reg, abi::Match match, ir::SetId set) {
  const std::uint32_t patterns =
      set.valid() ? draft_.constant(index_constant(Constant::Kind::set, set.index)) : abi::kNoConstant;
  draft_.step(Op::test, {.reg = reg, .a = static_cast<std::uint16_t>(match), .b = patterns});
}

// Goes through the occurrences of a value that has several, until one matches. Where data may still come, what was
// unknown of one is kept while the others are looked at.
void FunctionWriter::match(const ir::Instruction& one) {
  const ir::Expression& source = expression(one.expression);
  const Register value = draft_.take();
  const Register seen = draft_.take();
  const bool many = source.many();
  const bool keeps = many && function_.waits();
  const Draft::Operands call = fetch(source, value, true);
  draft_.step(Op::fetch, call);
  if (keeps) {
    draft_.step(Op::clear_condition);
    draft_.step(Op::keep_condition, {.reg = seen});
  }
  const Label again = draft_.label();
  const Label done = draft_.label();
  draft_.place(again);
  converters(source, value);
  cast(source.type(), value, one.match);
  test(value, one.match, one.set);
  if (many) {
    draft_.jump(Op::jump_if, {.a = ir::kYes}, done);
    if (keeps) {
      draft_.step(Op::absorb_or, {.reg = seen});
      draft_.step(Op::keep_condition, {.reg = seen});
    }
    draft_.jump(Op::fetch_next, call, again);
  }
  draft_.place(done);
}

}  // namespace hawser::compiler
