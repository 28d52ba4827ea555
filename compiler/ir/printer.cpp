// The IR as text, one line an instruction. parser.cpp reads it back.
#include <fmt/format.h>

#include "compiler/ir/text.h"
#include "compiler/ir/words.h"
#include "compiler/model/dump_expression.h"

namespace hawser::ir {
namespace {

using model::quoted;

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) {}

  void head() {
    for (std::size_t at = 0; at < module_.proxies.size(); ++at) line("proxy {} {}", at, quoted(module_.proxies[at]));
    line("replies {}", module_.replies);
    for (std::size_t at = 0; at < module_.references.size(); ++at) {
      reference(at, module_.references[module_.references.id_at(at)]);
    }
    for (std::size_t at = 0; at < module_.sets.size(); ++at) set(at, module_.sets[module_.sets.id_at(at)]);
    for (std::size_t at = 0; at < module_.redirects.size(); ++at) {
      redirect(at, module_.redirects[module_.redirects.id_at(at)]);
    }
  }
  void function(const Function& function) {
    line("function {} {} {{", function.proxy.index, abi::name_of(function.point));
    for (std::size_t at = 0; at < function.blocks.size(); ++at) block(at, function.blocks[function.blocks.id_at(at)]);
    line("}}");
  }
  std::string finish() { return std::move(text_); }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void reference(std::size_t at, const model::Reference& row) {
    line("reference #{} {}{} file {} description {} hash {} {{", at, abi::to_string(row.match),
         row.ignore_case ? " -i" : "", quoted(row.file), quoted(row.description), static_cast<std::int64_t>(row.hash));
    for (const std::string& text : row.texts) line("  {}", quoted(text));
    line("}}");
  }
  void set(std::size_t at, const PatternSet& set) {
    text_ += fmt::format("set #{} {}{}{} acl {} file {}", at, abi::to_string(set.match), set.ignore_case ? " -i" : "",
                         set.nameless ? " nameless" : "", quoted(set.acl_name), quoted(set.reference));
    for (const SetPart& part : set.parts) text_ += fmt::format(" {} of #{}", part.patterns, part.reference.index);
    line(" {{");
    for (const model::Pattern& pattern : set.patterns) {
      text_ += "  " + quoted(pattern.text);
      if (pattern.low != INT64_MIN || pattern.high != INT64_MAX) {
        text_ += fmt::format(" range {}..{}", pattern.low, pattern.high);
      }
      if (pattern.address.family != IpAddress::Family::none) {
        text_ += fmt::format(" address {}/{}", pattern.address.to_string(), pattern.prefix_bits);
      }
      line(" line {}", pattern.span.line);
    }
    line("}}");
  }
  void redirect(std::size_t at, const Redirect& row) {
    line("redirect {} {} {}{}{}{} cookie {}", at, kRedirectKinds[static_cast<std::size_t>(row.kind)], row.code,
         row.drop_query ? " drop-query" : "", row.append_slash ? " append-slash" : "",
         row.clear_cookie ? " clear-cookie" : "", quoted(row.set_cookie));
  }
  void block(std::size_t at, const Block& block) {
    line("b{}:", at);
    for (const Instruction& instruction : block.instructions) {
      const bool result = assigns(instruction);
      text_ += "  ";
      if (result) text_ += fmt::format("r{} = ", instruction.reg.index);
      text_ += name_of(instruction.op);
      operands(operands_of(instruction.op) & ~std::uint32_t{operand::result}, instruction);
      text_ += '\n';
    }
    text_ += "  ";
    text_ += name_of(block.terminator.end);
    operands(operands_of(block.terminator.end), block.terminator);
    text_ += '\n';
  }
  void word(std::string_view text) {
    text_ += ' ';
    text_ += text;
  }
  void test(abi::Match match, SetId set) {
    word(abi::to_string(match));
    if (set.valid()) text_ += fmt::format(" #{}", set.index);
  }
  void block_name(BlockId block) { text_ += fmt::format(" b{}", block.index); }

  void operands(std::uint32_t uses, const Instruction& one) {
    if ((uses & operand::action) != 0) word(abi::name_of(one.action));
    if ((uses & operand::alias) != 0) text_ += fmt::format(" %{}", abi::name_of(one.alias));
    if ((uses & (operand::reg | operand::optional_reg)) != 0 && one.reg.valid())
      text_ += fmt::format(" r{}", one.reg.index);
    if ((uses & operand::expression) != 0) word(to_text(module_.expression(one.expression)));
    if ((uses & operand::test) != 0) test(one.match, one.set);
    if ((uses & operand::value) != 0) word(value_text(one.value));
    if ((uses & operand::flags) != 0) {
      for (const auto& [flag, name] : kFormatFlags) {
        if ((one.flags & flag) != 0) word(name);
      }
    }
  }
  void operands(std::uint32_t uses, const Terminator& one) {
    if ((uses & operand::mask) != 0) word(kMasks[one.mask & 7]);
    if ((uses & operand::action) != 0) word(abi::name_of(one.action));
    if ((uses & operand::reg) != 0) text_ += fmt::format(" r{}", one.reg.index);
    if ((uses & operand::redirect) != 0) text_ += fmt::format(" {}", one.redirect.index);
    if ((uses & operand::reply) != 0) text_ += fmt::format(" {}", one.reply.index);
    if ((uses & operand::backend) != 0) text_ += fmt::format(" {}", one.backend.index);
    if ((uses & operand::cases) != 0) cases(one);
    if ((uses & operand::target) != 0) block_name(one.target);
    if ((uses & operand::otherwise) != 0) {
      word("else");
      block_name(one.otherwise);
    }
  }
  void cases(const Terminator& one) {
    word("{\n");
    for (const Case& of : one.cases) {
      text_ += "   ";
      word(to_text(module_.expression(of.expression)));
      test(of.match, of.set);
      line(" -> {}{}", one.end == End::select ? "b" : "", one.end == End::select ? of.target.index : of.backend.index);
    }
    text_ += "  }";
  }

  const Module& module_;
  std::string text_;
};

}  // namespace

std::string value_text(const Value& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(const FieldName& field) const { return "field " + quoted(field.name); }
    std::string operator()(const model::Variable& variable) const { return model::text_of(variable); }
    std::string operator()(SetId set) const { return fmt::format("#{}", set.index); }
  };
  return std::visit(Text{}, value);
}

std::string print(const Module& module) {
  Printer printer(module);
  printer.head();
  for (const Function& function : module.functions) printer.function(function);
  return printer.finish();
}

std::string print(const Module& module, const Function& function) {
  Printer printer(module);
  printer.function(function);
  return printer.finish();
}

}  // namespace hawser::ir
