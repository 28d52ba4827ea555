// Sample expressions and formats.
#include "compiler/lower/entry_lowering.h"
#include "runtime/abi/rows.h"
#include "runtime/base/ascii.h"

namespace hawser::compiler {

using ir::Op;

ir::ExpressionId EntryLowering::expression(const model::SampleExpr& sample) {
  ir::Expression made;
  made.fetch = sample.fetch;
  made.of_response = function_.in_response();
  made.args = sample.args;
  made.args.resize(abi::row(sample.fetch).params.size());
  if (ir::names_field(sample.fetch)) {
    for (model::Arg& arg : made.args) {
      if (auto* name = std::get_if<std::string>(&arg)) *name = lower_cased(*name);
    }
  }
  for (const model::Conversion& source : sample.converters) {
    ir::Conversion conversion{source.converter, source.args};
    // Converters read their arguments without asking whether there are any.
    conversion.args.resize(abi::row(source.converter).params.size());
    made.converters.push_back(std::move(conversion));
  }
  return module_.intern(std::move(made));
}

// The value of a field, a location or a body.
ir::RegisterId EntryLowering::format(const model::Format& format) {
  if (format.constant()) {
    std::string text;
    for (const model::FormatPart& part : format.parts) text += part.text;
    return blocks_.constant(std::move(text));
  }
  blocks_.push(ir::plain(Op::text_begin));
  format_parts(format, abi::format_empty | abi::format_field, false);
  return blocks_.assign(Op::text_end);
}

void EntryLowering::log_line(const model::Format& format) {
  blocks_.push(ir::plain(Op::text_begin));
  format_parts(format, 0, true);
  blocks_.end(ir::ends(ir::End::emit));
  blocks_.finish();
}

// `separators`: blanks in texts are separators, which do not stand beside each other.
void EntryLowering::format_parts(const model::Format& format, std::uint16_t flags, bool separators) {
  const auto append = [&](std::string_view text) {
    if (!text.empty()) blocks_.push(ir::text_constant(std::string(text)));
  };
  for (const model::FormatPart& part : format.parts) {
    const auto all_flags = static_cast<std::uint16_t>(part.flags | flags);
    switch (part.kind) {
      case model::FormatPart::Kind::text: {
        std::string_view rest = part.text;
        for (std::size_t blank = 0; separators && (blank = rest.find(' ')) != std::string_view::npos;) {
          append(rest.substr(0, blank));
          blocks_.push(ir::plain(Op::text_separator));
          rest.remove_prefix(blank + 1);
        }
        append(rest);
        break;
      }
      case model::FormatPart::Kind::alias: blocks_.push(ir::text_alias(part.alias, all_flags)); break;
      case model::FormatPart::Kind::sample:
        blocks_.push(ir::text_sample(blocks_.sample(expression(*part.sample)), all_flags));
        break;
    }
  }
}

}  // namespace hawser::compiler
