// The text of expressions in --dump=model.
#include "compiler/model/dump_expression.h"

#include <fmt/format.h>

namespace hawser::model {
namespace {

std::string arg_text(const Arg& arg) {
  struct Printer {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(const Variable& variable) const { return text_of(variable); }
  };
  return std::visit(Printer{}, arg);
}

}  // namespace

std::string call_text(std::string_view name, const std::vector<Arg>& args) {
  if (args.empty()) return std::string(name);
  std::string text = fmt::format("{}(", name);
  for (std::size_t at = 0; at < args.size(); ++at) text += (at > 0 ? "," : "") + arg_text(args[at]);
  return text + ")";
}

std::string_view scope_name(abi::VariableScope scope) {
  switch (scope) {
    case abi::VariableScope::proc: return "proc";
    case abi::VariableScope::sess: return "sess";
    case abi::VariableScope::txn: return "txn";
    case abi::VariableScope::req: return "req";
    case abi::VariableScope::res: return "res";
    case abi::VariableScope::check: return "check";
  }
  return "?";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string text_of(const Variable& variable) {
  return fmt::format("{}.{}", scope_name(variable.scope), variable.name);
}

std::string text_of(const SampleExpr& sample) {
  std::string text = call_text(abi::name_of(sample.fetch), sample.args);
  for (const Conversion& conversion : sample.converters) {
    text += ',' + call_text(abi::name_of(conversion.converter), conversion.args);
  }
  return text;
}

std::string text_of(const Format& format) {
  std::string text;
  for (const FormatPart& part : format.parts) {
    if (!text.empty()) text += ' ';
    switch (part.kind) {
      case FormatPart::Kind::text: text += quoted(part.text); break;
      case FormatPart::Kind::alias: text += fmt::format("%{}", abi::name_of(part.alias)); break;
      case FormatPart::Kind::sample: text += fmt::format("%[{}]", part.sample ? text_of(*part.sample) : ""); break;
    }
    if (part.flags != 0) text += fmt::format("/{:#x}", part.flags);
  }
  return text.empty() ? quoted("") : text;
}

std::string text_of(const Condition& condition) {
  std::string text = condition.unless ? "unless" : "if";
  for (std::size_t at = 0; at < condition.any_of.size(); ++at) {
    if (at > 0) text += " or";
    for (const Term& term : condition.any_of[at]) {
      text += fmt::format(" {}acl#{}", term.negated ? "!" : "", term.acl.index);
    }
  }
  return text;
}

}  // namespace hawser::model
