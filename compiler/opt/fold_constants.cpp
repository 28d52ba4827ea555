// Works out what the configuration alone decides: constant values, tests of them, and texts.
//
// The content of a set may be changed by a command at any time (contract 3): a test against one is left, even where it
// is empty and the value is constant.
//
// Takes for granted: converters are functions of their input and arguments.
// Leaves behind:     `match` of constants by found and boolean as clear and negate; samples and texts that are the same
//                    in every run as `constant`; no two constants of a text side by side.
#include <string>
#include <unordered_map>

#include "compiler/opt/opt.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/converters.h"
#include "runtime/kernels/formats.h"
#include "runtime/kernels/matchers.h"

namespace hawser::opt {
namespace {

using abi::FetchId;
using abi::Sample;
using ir::Op;

class ConstantFolder {
 public:
  ConstantFolder(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  bool run() {
    for (const ir::BlockId id : ir::in_order(function_)) block(function_.blocks[id]);
    return changed_;
  }

 private:
  // A constant with its type; absent where there is no value. Nothing: only the run knows.
  std::optional<Sample> value_of(const ir::Expression& expression);
  std::optional<Sample> fetched(const ir::Expression& expression) const;
  bool convert(Sample& sample, const ir::Conversion& conversion);

  void block(ir::Block& block);
  void add(ir::Instruction instruction);
  void add_match(ir::Instruction instruction);
  void add_sample(ir::Instruction instruction);
  void add_constant(ir::Instruction instruction);
  void add_text(ir::Instruction instruction);
  void end_text(ir::Instruction instruction);

  ir::Module& module_;
  ir::Function& function_;
  Arena arena_;
  std::unordered_map<std::uint32_t, Sample> constants_;  // of registers
  std::vector<ir::Instruction> done_;                    // of the block so far
  bool changed_ = false;
};

std::optional<Sample> ConstantFolder::fetched(const ir::Expression& expression) const {
  const auto number = [&] { return std::get<std::int64_t>(expression.args[0]); };
  switch (expression.fetch) {
    case FetchId::always_true: return Sample::boolean(true);
    case FetchId::always_false: return Sample::boolean(false);
    case FetchId::wait_end: return function_.waits() ? std::nullopt : std::optional(Sample::boolean(true));
    case FetchId::bool_: return Sample::boolean(number() != 0);
    case FetchId::int_: return Sample::sint(number());
    case FetchId::str_: {
      const auto* text = std::get_if<std::string>(&expression.args[0]);
      return Sample::text(text == nullptr ? std::string_view() : std::string_view(*text));
    }
    default: return std::nullopt;
  }
}

bool ConstantFolder::convert(Sample& sample, const ir::Conversion& conversion) {
  Sample arguments[abi::kArgumentsMax];
  for (std::size_t at = 0; at < conversion.args.size(); ++at) {
    const model::Arg& arg = conversion.args[at];
    if (std::holds_alternative<model::Variable>(arg)) return false;
    if (const auto* text = std::get_if<std::string>(&arg)) arguments[at] = Sample::text(*text);
    if (const auto* number = std::get_if<std::int64_t>(&arg)) arguments[at] = Sample::sint(*number);
  }
  if (sample.is_absent()) return true;
  kernels::cast(sample, kernels::input_of(conversion.converter), arena_);
  if (sample.is_absent() || !kernels::converter(conversion.converter)(sample, arguments, arena_)) {
    sample = Sample::absent();
  }
  return true;
}

std::optional<Sample> ConstantFolder::value_of(const ir::Expression& expression) {
  std::optional<Sample> value = fetched(expression);
  for (const ir::Conversion& conversion : expression.converters) {
    if (!value || !convert(*value, conversion)) return std::nullopt;
  }
  return value;
}

void ConstantFolder::block(ir::Block& block) {
  done_.clear();
  for (ir::Instruction& instruction : block.instructions) add(std::move(instruction));
  block.instructions = std::move(done_);
}

void ConstantFolder::add(ir::Instruction instruction) {
  switch (instruction.op) {
    case Op::match: add_match(std::move(instruction)); return;
    case Op::sample: add_sample(std::move(instruction)); return;
    case Op::text_constant:
    case Op::text_sample: add_text(std::move(instruction)); return;
    case Op::text_end: end_text(std::move(instruction)); return;
    case Op::constant: add_constant(std::move(instruction)); return;
    default: done_.push_back(std::move(instruction)); return;
  }
}

// In front of the constants of a text, so that these come to stand side by side.
void ConstantFolder::add_constant(ir::Instruction one) {
  if (const auto* text = std::get_if<std::string>(&one.value)) {
    constants_[one.reg.index] = Sample::text(arena_.copy(*text));
  }
  if (const auto* number = std::get_if<std::int64_t>(&one.value)) {
    constants_[one.reg.index] = Sample::sint(*number);
  }
  auto place = done_.end();
  while (place != done_.begin() &&
         (std::prev(place)->op == Op::text_begin || std::prev(place)->op == Op::text_constant ||
          std::prev(place)->op == Op::text_separator)) {
    --place;
  }
  done_.insert(place, std::move(one));
}

void ConstantFolder::add_match(ir::Instruction one) {
  const ir::Expression& expression = module_.expression(one.expression);
  const bool of_set = one.match != abi::Match::found && one.match != abi::Match::boolean;
  std::optional<Sample> value;
  if (!of_set) value = value_of(expression);
  if (!value) {
    done_.push_back(std::move(one));
    return;
  }
  if (!ir::fits(expression.type(), one.match)) kernels::cast(*value, kernels::match_input(one.match), arena_);
  const bool found = one.match == abi::Match::found ? !value->is_absent()
                                                    : value->type == abi::SampleType::boolean && value->integer != 0;
  done_.push_back(ir::plain(Op::clear));
  if (found) done_.push_back(ir::plain(Op::negate));
  changed_ = true;
}

void ConstantFolder::add_sample(ir::Instruction one) {
  const std::optional<Sample> value = value_of(module_.expression(one.expression));
  if (value) constants_[one.reg.index] = *value;
  if (value && (value->type == abi::SampleType::string || value->type == abi::SampleType::sint)) {
    changed_ = true;
    add_constant(value->type == abi::SampleType::sint ? ir::constant(one.reg, value->integer)
                                                      : ir::constant(one.reg, std::string(value->view())));
    return;
  }
  done_.push_back(std::move(one));
}

// A separator between two constants is a blank: the text in front of it does not end with one of its kind.
void ConstantFolder::add_text(ir::Instruction one) {
  if (one.op == Op::text_sample) {
    const auto known = constants_.find(one.reg.index);
    if (known == constants_.end()) {
      done_.push_back(std::move(one));
      return;
    }
    std::string text;
    kernels::append_sample(text, known->second, one.flags);
    one = ir::text_constant(std::move(text));
    changed_ = true;
  }
  const std::size_t count = done_.size();
  const bool separated = count > 1 && done_[count - 1].op == Op::text_separator;
  const std::size_t before = count - (separated ? 2 : 1);
  if (count > 0 && done_[before].op == Op::text_constant) {
    auto& text = std::get<std::string>(done_[before].value);
    if (separated) text += ' ';
    text += std::get<std::string>(one.value);
    done_.resize(before + 1);
    changed_ = true;
    return;
  }
  done_.push_back(std::move(one));
}

void ConstantFolder::end_text(ir::Instruction end) {
  const std::size_t count = done_.size();
  const bool one = count > 1 && done_[count - 1].op == Op::text_constant;
  const std::size_t begin = count - (one ? 2 : 1);
  if (count > 0 && done_[begin].op == Op::text_begin) {
    std::string text = one ? std::get<std::string>(done_[count - 1].value) : std::string();
    done_.resize(begin);
    changed_ = true;
    add_constant(ir::constant(end.reg, std::move(text)));
    return;
  }
  done_.push_back(std::move(end));
}

}  // namespace

bool fold_constants(ir::Module& module, ir::Function& function) { return ConstantFolder(module, function).run(); }

}  // namespace hawser::opt
