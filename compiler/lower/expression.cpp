// Sample expressions and formats.
#include "compiler/lower/writer.h"
#include "runtime/abi/rows.h"

namespace hawser::compiler {
namespace {

using abi::Constant;
using abi::Op;

// Names of fields are looked up in lower case; those of cookies and parameters are as they are.
bool names_field(abi::FetchId fetch) {
  switch (fetch) {
    case abi::FetchId::req_hdr:
    case abi::FetchId::hdr:
    case abi::FetchId::req_fhdr:
    case abi::FetchId::req_hdr_cnt:
    case abi::FetchId::hdr_cnt:
    case abi::FetchId::req_hdr_val:
    case abi::FetchId::hdr_val:
    case abi::FetchId::req_hdr_ip:
    case abi::FetchId::hdr_ip:
    case abi::FetchId::res_hdr: return true;
    default: return false;
  }
}

std::string lower_cased(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

bool EntryLowering::in_response() const noexcept {
  return point_ == abi::EntryPoint::http_response || point_ == abi::EntryPoint::http_after_response ||
         point_ == abi::EntryPoint::tcp_response;
}

void EntryLowering::sample(const model::SampleExpr& sample, Register reg) {
  const std::uint8_t flags = in_response() ? abi::fetch_response : 0;
  function_.step(
      Op::fetch,
      {.reg = reg, .a = static_cast<std::uint16_t>(sample.fetch), .b = fetch_arguments(sample), .flags = flags});
  converters(sample, reg);
}

void EntryLowering::converters(const model::SampleExpr& sample, Register reg) {
  for (const model::Conversion& conversion : sample.converters) {
    // Converters read their arguments without asking whether there are any.
    std::vector<model::Arg> args = conversion.args;
    args.resize(abi::row(conversion.converter).params.size());
    function_.step(Op::convert,
                   {.reg = reg, .a = static_cast<std::uint16_t>(conversion.converter), .b = arguments(args, false)});
  }
}

std::uint32_t EntryLowering::fetch_arguments(const model::SampleExpr& sample) {
  std::vector<model::Arg> args = sample.args;
  args.resize(abi::row(sample.fetch).params.size());
  return arguments(args, names_field(sample.fetch));
}

std::uint32_t EntryLowering::arguments(const std::vector<model::Arg>& args, bool field_name) {
  if (args.empty()) return abi::kNoConstant;
  std::vector<Constant> rows;
  for (const model::Arg& arg : args) rows.push_back(argument(arg, field_name));
  Constant constant;
  constant.kind = Constant::Kind::arguments;
  constant.arguments = program_.rows(rows);
  return function_.constant(constant);
}

Constant EntryLowering::argument(const model::Arg& arg, bool field_name) {
  Constant constant;
  if (const auto* text = std::get_if<std::string>(&arg)) {
    constant = text_constant(field_name ? lower_cased(*text) : *text);
    if (field_name) constant.kind = Constant::Kind::field;
  } else if (const auto* number = std::get_if<std::int64_t>(&arg)) {
    constant.kind = Constant::Kind::integer;
    constant.integer = *number;
  } else if (const auto* variable = std::get_if<model::Variable>(&arg)) {
    constant = text_constant(variable->name);
    constant.kind = Constant::Kind::variable;
    constant.scope = variable->scope;
  }
  return constant;
}

Constant EntryLowering::text_constant(std::string_view text) {
  Constant constant;
  constant.kind = Constant::Kind::text;
  constant.text = program_.text(text);
  return constant;
}

// The value of a field, a location or a body.
void EntryLowering::format(const model::Format& format, Register reg) {
  bool constant = true;
  std::string text;
  for (const model::FormatPart& part : format.parts) {
    constant = constant && part.kind == model::FormatPart::Kind::text;
    text += part.text;
  }
  if (constant) {
    function_.step(Op::load, {.reg = reg, .b = function_.constant(text_constant(text))});
    return;
  }
  function_.step(Op::text_begin);
  format_parts(format, abi::format_empty | abi::format_field, false);
  function_.step(Op::text_end, {.reg = reg});
}

void EntryLowering::log_line(const model::Format& format) {
  function_.step(Op::text_begin);
  format_parts(format, 0, true);
  function_.step(Op::emit);
}

// `separators`: blanks in texts are separators, which do not stand beside each other.
void EntryLowering::format_parts(const model::Format& format, std::uint16_t flags, bool separators) {
  const auto append = [&](std::string_view text) {
    if (!text.empty()) function_.step(Op::text_constant, {.b = function_.constant(text_constant(text))});
  };
  for (const model::FormatPart& part : format.parts) {
    const auto all_flags = static_cast<std::uint16_t>(part.flags | flags);
    switch (part.kind) {
      case model::FormatPart::Kind::text: {
        std::string_view rest = part.text;
        for (std::size_t blank = 0; separators && (blank = rest.find(' ')) != std::string_view::npos;) {
          append(rest.substr(0, blank));
          function_.step(Op::text_separator);
          rest.remove_prefix(blank + 1);
        }
        append(rest);
        break;
      }
      case model::FormatPart::Kind::alias:
        function_.step(Op::text_alias, {.a = static_cast<std::uint16_t>(part.alias), .b = all_flags});
        break;
      case model::FormatPart::Kind::sample: {
        const TakenRegister value(function_);
        sample(*part.sample, value);
        function_.step(Op::text_sample, {.reg = value, .a = all_flags});
        break;
      }
    }
  }
}

}  // namespace hawser::compiler
