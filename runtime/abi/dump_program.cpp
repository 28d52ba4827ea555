// The Program as text: sets, functions with their steps, and what each proxy runs where.
#include <fmt/format.h>

#include "runtime/abi/program.h"
#include "runtime/abi/rows.h"

namespace hawser::abi {
namespace {

std::string_view scope_name(VariableScope scope) {
  static constexpr std::string_view kNames[] = {"proc", "sess", "txn", "req", "res", "check"};
  return kNames[static_cast<std::size_t>(scope)];
}

class ProgramDump {
 public:
  explicit ProgramDump(const ImageView& image) : image_(image), program_(image.root<Program>()) {}

  std::string run() {
    std::size_t number = 0;
    for (const PatternReference& row : image_.rows(program_.references)) {
      text_ += fmt::format("reference #{} {}\n", number++, image_.text(row.description));
    }
    for (const PatternSet& row : image_.rows(program_.sets)) set(row);
    number = 0;
    for (const Redirect& row : image_.rows(program_.redirects)) redirect(number++, row);
    number = 0;
    for (const Choice& row : image_.rows(program_.choices)) choice(number++, row);
    number = 0;
    for (const Function& row : image_.rows(program_.functions)) function(number++, row);
    number = 0;
    for (const ProxyEntries& row : image_.rows(program_.proxies)) proxy(number++, row);
    return std::move(text_);
  }

 private:
  void set(const PatternSet& row) {
    text_ += fmt::format("set #{} {}{}", row.id, to_string(row.match), row.ignore_case ? " -i" : "");
    if (row.acl_name.size > 0) text_ += fmt::format(" acl '{}'", image_.text(row.acl_name));
    if (row.reference.size > 0) text_ += fmt::format(" file '{}'", image_.text(row.reference));
    for (const SetPart& part : image_.rows(row.parts)) text_ += fmt::format(" of #{}", part.reference);
    text_ += ':';
    for (const Pattern& pattern : image_.rows(row.patterns)) text_ += fmt::format(" '{}'", image_.text(pattern.text));
    text_ += '\n';
  }
  void redirect(std::size_t number, const Redirect& row) {
    static constexpr std::string_view kKinds[] = {"location", "prefix", "scheme"};
    text_ += fmt::format("redirect {} {} code {}{}{}", number, kKinds[static_cast<std::size_t>(row.kind)], row.code,
                         row.drop_query ? " drop-query" : "", row.append_slash ? " append-slash" : "");
    if (row.set_cookie.size > 0) {
      text_ += fmt::format(" {}-cookie '{}'", row.clear_cookie ? "clear" : "set", image_.text(row.set_cookie));
    }
    text_ += '\n';
  }
  void choice(std::size_t number, const Choice& row) {
    text_ += fmt::format("choice {}:", number);
    for (const ChoiceCase& one : image_.rows(row.cases)) {
      text_ += fmt::format(" {}={}", one.number, to_string(one.match));
      if (one.set != kNoSet) text_ += fmt::format("#{}", one.set);
    }
    text_ += '\n';
  }
  void function(std::size_t number, const Function& row) {
    text_ += fmt::format("function {} registers {}", number, row.registers);
    if (row.selectors != 0) text_ += fmt::format(" selectors {}", row.selectors);
    text_ += fmt::format(" constants {} resume points {}\n", row.constants, row.resume_points);
    const auto steps = image_.rows(program_.steps).subspan(row.first_step, row.steps);
    for (std::size_t at = 0; at < steps.size(); ++at) text_ += fmt::format("  {:>3} {}\n", at, step(steps[at]));
  }
  std::string step(const Step& step) const {
    const std::uint8_t uses = row(step.op).uses;
    std::string line{name_of(step.op)};
    if ((uses & use::reg) != 0) line += fmt::format(" r{}", step.reg);
    if ((uses & use::a) != 0) line += ' ' + operand(step);
    if ((uses & use::b) != 0 && step.op == Op::text_alias) line += flags(static_cast<std::uint16_t>(step.b));
    if (step.op == Op::select_begin) line += fmt::format(" of {}", step.b);
    const bool constant = row(step.op).constant != StepConstant::none;
    if ((uses & use::b) != 0 && constant && step.b != kNoConstant) line += fmt::format(" c{}", step.b);
    if ((step.flags & fetch_every) != 0) line += " every";
    if ((step.flags & fetch_response) != 0) line += " response";
    if ((uses & use::target) != 0) line += fmt::format(" -> {}", step.target);
    return line;
  }
  std::string operand(const Step& step) const {
    switch (step.op) {
      case Op::jump_if:
        return fmt::format("{}{}{}", (step.a & 1) != 0 ? "n" : "", (step.a & 2) != 0 ? "y" : "",
                           (step.a & 4) != 0 ? "?" : "");
      case Op::fetch:
      case Op::fetch_next: return std::string(name_of(static_cast<FetchId>(step.a)));
      case Op::convert: return std::string(name_of(static_cast<ConverterId>(step.a)));
      case Op::cast: return std::string(to_string(static_cast<SampleType>(step.a)));
      case Op::test: return std::string(to_string(static_cast<Match>(step.a)));
      case Op::text_sample: return "str" + flags(step.a);
      case Op::text_alias: return fmt::format("%{}", name_of(static_cast<AliasId>(step.a)));
      case Op::act:
      case Op::reply: return std::string(name_of(static_cast<ActionId>(step.a)));
      case Op::select_begin:
      case Op::select:
      case Op::select_again:
      case Op::jump_found:
      case Op::jump_unless_found:
      case Op::use_backend_found: return fmt::format("s{}", step.a);
      default: return fmt::format("{}", step.a);
    }
  }
  static std::string flags(std::uint16_t flags) {
    static constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
        {format_quote, "Q"},     {format_hex, "X"},       {format_escape, "E"},
        {format_mandatory, "M"}, {format_empty, "empty"}, {format_field, "field"}};
    std::string text;
    for (const auto& [flag, name] : kNames) {
      if ((flags & flag) != 0) text += fmt::format(" +{}", name);
    }
    return text;
  }
  void proxy(std::size_t number, const ProxyEntries& row) {
    for (std::size_t point = 0; point < kEntryPoints; ++point) {
      const Entry& entry = row.at[point];
      if (entry.function == kNoFunction) continue;
      text_ +=
          fmt::format("proxy {} {}: function {}\n", number, name_of(static_cast<EntryPoint>(point)), entry.function);
      std::size_t at = 0;
      for (const Constant& value : image_.rows(entry.bindings))
        text_ += fmt::format("  c{} = {}\n", at++, constant(value));
    }
  }
  std::string constant(const Constant& value) const {
    switch (value.kind) {
      case Constant::Kind::none: return "-";
      case Constant::Kind::text: return fmt::format("'{}'", image_.text(value.text));
      case Constant::Kind::field: return fmt::format("field '{}'", image_.text(value.text));
      case Constant::Kind::integer: return fmt::format("{}", value.integer);
      case Constant::Kind::variable: return fmt::format("{}.{}", scope_name(value.scope), image_.text(value.text));
      case Constant::Kind::set: return fmt::format("set #{}", value.index);
      case Constant::Kind::backend: return fmt::format("proxy {}", value.index);
      case Constant::Kind::reply: return fmt::format("reply {}", value.index);
      case Constant::Kind::choice: return fmt::format("choice {}", value.index);
      case Constant::Kind::redirect: return fmt::format("redirect {}", value.index);
      case Constant::Kind::arguments: {
        std::string list = "(";
        for (const Constant& argument : image_.rows(value.arguments)) {
          if (list.size() > 1) list += ", ";
          list += constant(argument);
        }
        return list + ")";
      }
    }
    return "?";
  }

  const ImageView& image_;
  const Program& program_;
  std::string text_;
};

}  // namespace

std::string dump(const ImageView& image) { return ProgramDump(image).run(); }

}  // namespace hawser::abi
