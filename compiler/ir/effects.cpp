#include "compiler/ir/effects.h"

#include <algorithm>

namespace hawser::ir {
namespace {

using abi::Effect;

// What the rows of actions.def write. `field_lines` are those of the message that the function is about.
enum class Writes : std::uint8_t { none, field_lines, variables, addresses };
constexpr Writes kWrites[] = {
#define ACTION(id, name, rulesets, final, writes, ...) Writes::writes,
#include "runtime/abi/actions.def"
#undef ACTION
};

bool takes_variable(const Conversion& conversion) noexcept {
  return std::any_of(conversion.args.begin(), conversion.args.end(),
                     [](const model::Arg& arg) { return std::holds_alternative<model::Variable>(arg); });
}

}  // namespace

Effect reads(const Expression& expression) noexcept {
  Effect read = abi::row(expression.fetch).reads;
  // What counts the bytes that have come counts those of the head, in HTTP.
  if (abi::overlap(read, Effect::request_body)) read = read | Effect::request_fields;
  // What serves both messages says what it reads of a request.
  if (expression.of_response && abi::overlap(read, Effect::request_fields)) read = read | Effect::response_fields;
  if (std::any_of(expression.converters.begin(), expression.converters.end(), takes_variable)) {
    read = read | Effect::variables;
  }
  return read;
}

Effect writes(const Instruction& instruction, const Function& function) noexcept {
  if (instruction.op == Op::suspend) return changes_while_waiting();
  if (instruction.op != Op::act) return Effect::none;
  switch (kWrites[static_cast<std::size_t>(instruction.action)]) {
    case Writes::none: return Effect::none;
    case Writes::addresses: return Effect::addresses;
    case Writes::variables: return Effect::variables;
    case Writes::field_lines: return function.in_response() ? Effect::response_fields : Effect::request_fields;
  }
  return Effect::none;
}

Effect changes_while_waiting() noexcept {
  return Effect::request_line | Effect::request_fields | Effect::request_body | Effect::response_line |
         Effect::response_fields | Effect::response_body | Effect::variables | Effect::tables | Effect::servers |
         Effect::clock | Effect::random | Effect::sets | Effect::connection;
}

}  // namespace hawser::ir
