#include "compiler/lower/block_builder.h"

#include <utility>

#include "runtime/base/check.h"

namespace hawser::compiler {

void BlockBuilder::open() { block_ = function_.add_block(); }

void BlockBuilder::push(ir::Instruction instruction) {
  HAWSER_CHECK(block_.valid());
  function_.blocks[block_].instructions.push_back(std::move(instruction));
}

ir::RegisterId BlockBuilder::assign(ir::Op op) {
  const ir::RegisterId reg = function_.add_register();
  push(ir::with_register(op, reg));
  return reg;
}

ir::RegisterId BlockBuilder::sample(ir::ExpressionId expression) {
  const ir::RegisterId reg = function_.add_register();
  push(ir::sample(reg, expression));
  return reg;
}

ir::RegisterId BlockBuilder::constant(std::string text) {
  const ir::RegisterId reg = function_.add_register();
  push(ir::constant(reg, std::move(text)));
  return reg;
}

BlockBuilder::Label BlockBuilder::label() {
  labels_.emplace_back();
  return {static_cast<std::uint32_t>(labels_.size() - 1)};
}

ir::BlockId BlockBuilder::refer(Label label) {
  labels_[label.index].used = true;
  return ir::BlockId(label.index);
}

void BlockBuilder::place(Label label) {
  HAWSER_CHECK(!labels_[label.index].block.valid());
  if (!block_.valid()) {
    open();
  } else if (labels_[label.index].used && !function_.blocks[block_].instructions.empty()) {
    end(ir::jump(refer(label)));
    open();
  }
  labels_[label.index].block = block_;
}

BlockBuilder::Label BlockBuilder::begin() {
  const Label here = label();
  labels_[here.index].used = true;
  place(here);
  return here;
}

void BlockBuilder::branch(std::uint8_t mask, Label target) {
  const Label otherwise = label();
  end(ir::branch(mask, refer(target), refer(otherwise)));
  place(otherwise);
}

void BlockBuilder::need(Label target) { end(ir::need(refer(target))); }
void BlockBuilder::jump(Label target) { end(ir::jump(refer(target))); }

void BlockBuilder::end(ir::Terminator terminator) {
  HAWSER_CHECK(block_.valid());
  function_.blocks[block_].terminator = std::move(terminator);
  block_ = {};
}

void BlockBuilder::finish() {
  HAWSER_CHECK(!block_.valid());
  for (ir::Block& block : function_.blocks) {
    ir::for_each_edge(block.terminator, [&](ir::BlockId& target) {
      target = labels_[target.index].block;
      HAWSER_CHECK(target.valid());
    });
  }
}

}  // namespace hawser::compiler
