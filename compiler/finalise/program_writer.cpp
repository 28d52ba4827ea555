#include "compiler/finalise/program_writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "compiler/finalise/function_writer.h"

namespace hawser::compiler {
namespace {

using abi::Constant;

// A set that no command can name: it is part of an action.
constexpr std::uint32_t kNamelessSet = 0xffff'ffff;

}  // namespace

abi::Image finalise(const ir::Module& module, const FinaliseOptions& options) {
  return ProgramWriter(module, options).write();
}

abi::Image ProgramWriter::write() {
  add_sets();
  add_redirects();
  std::vector<abi::ProxyEntries> proxies(module_.proxies.size());
  for (const ir::Function& function : module_.functions) {
    proxies[function.proxy.index].at[static_cast<std::size_t>(function.point)] = entry(function);
  }
  abi::Program program;
  program.steps = image_.rows(steps_);
  program.functions = image_.rows(functions_);
  program.proxies = image_.rows(proxies);
  program.references = add_references();
  program.sets = image_.rows(sets_);
  program.redirects = image_.rows(redirects_);
  program.choices = image_.rows(choices_);
  for (const abi::Function& function : functions_) {
    program.registers_max = std::max<std::uint32_t>(program.registers_max, function.registers);
    program.selectors_max = std::max<std::uint32_t>(program.selectors_max, function.selectors);
  }
  program.replies = module_.replies;
  return image_.finish(program);
}

abi::Entry ProgramWriter::entry(const ir::Function& source) {
  Draft draft(source.registers, options_.suspend_everywhere);
  FunctionWriter(*this, draft, source).write();
  draft.finish();
  abi::Entry entry;
  entry.function = function(draft);
  entry.bindings = image_.rows(draft.constants());
  return entry;
}

std::uint32_t ProgramWriter::function(const Draft& draft) {
  const std::vector<abi::Step>& steps = draft.steps();
  std::string bytes(reinterpret_cast<const char*>(steps.data()), steps.size() * sizeof(abi::Step));
  const auto [found, is_new] = shared_.try_emplace(std::move(bytes), static_cast<std::uint32_t>(functions_.size()));
  if (!is_new) return found->second;
  abi::Function function;
  function.first_step = static_cast<std::uint32_t>(steps_.size());
  function.steps = static_cast<std::uint32_t>(steps.size());
  function.registers = draft.registers();
  function.resume_points = draft.resume_points();
  function.selectors = draft.selectors();
  function.constants = static_cast<std::uint32_t>(draft.constants().size());
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  functions_.push_back(function);
  return found->second;
}

std::uint32_t ProgramWriter::choice(const std::vector<abi::ChoiceCase>& cases) {
  choices_.push_back({image_.rows(cases)});
  return static_cast<std::uint32_t>(choices_.size() - 1);
}

Constant ProgramWriter::constant(const ir::Value& value) {
  struct Written {
    abi::ImageBuilder& image;
    Constant operator()(std::monostate) const { return {}; }
    Constant operator()(const std::string& text) const { return named(Constant::Kind::text, text); }
    Constant operator()(std::int64_t number) const {
      Constant constant;
      constant.kind = Constant::Kind::integer;
      constant.integer = number;
      return constant;
    }
    Constant operator()(const ir::FieldName& field) const { return named(Constant::Kind::field, field.name); }
    Constant operator()(const model::Variable& variable) const {
      Constant constant = named(Constant::Kind::variable, variable.name);
      constant.scope = variable.scope;
      return constant;
    }
    Constant operator()(ir::SetId set) const { return index_constant(Constant::Kind::set, set.index); }
    Constant named(Constant::Kind kind, std::string_view text) const {
      Constant constant;
      constant.kind = kind;
      constant.text = image.text(text);
      return constant;
    }
  };
  return std::visit(Written{image_}, value);
}

Constant ProgramWriter::arguments(abi::FetchId fetch, const std::vector<model::Arg>& args) {
  return arguments(args, ir::names_field(fetch));
}

Constant ProgramWriter::arguments(const std::vector<model::Arg>& args, bool field_name) {
  std::vector<Constant> rows;
  for (const model::Arg& arg : args) rows.push_back(argument(arg, field_name));
  Constant constant;
  constant.kind = Constant::Kind::arguments;
  constant.arguments = image_.rows(rows);
  return constant;
}

Constant ProgramWriter::argument(const model::Arg& arg, bool field_name) {
  if (const auto* text = std::get_if<std::string>(&arg)) {
    return field_name ? constant(ir::FieldName{*text}) : constant(*text);
  }
  if (const auto* number = std::get_if<std::int64_t>(&arg)) return constant(*number);
  if (const auto* variable = std::get_if<model::Variable>(&arg)) return constant(*variable);
  return {};
}

abi::Rows<abi::PatternReference> ProgramWriter::add_references() {
  std::vector<abi::PatternReference> rows;
  for (const model::Reference& source : module_.references) {
    abi::PatternReference& row = rows.emplace_back();
    row.match = source.match;
    row.ignore_case = source.ignore_case;
    row.file = image_.text(source.file);
    row.description = image_.text(source.description);
    row.hash = source.hash;
    std::vector<abi::Text> texts;
    for (const std::string& text : source.texts) texts.push_back(image_.text(text));
    row.texts = image_.rows(texts);
  }
  return image_.rows(rows);
}

void ProgramWriter::add_sets() {
  std::map<std::tuple<model::ReferenceId, abi::Match, bool>, abi::Rows<abi::Pattern>> files;
  for (const ir::PatternSet& source : module_.sets) {
    abi::PatternSet row;
    row.id = source.nameless ? kNamelessSet : static_cast<std::uint32_t>(sets_.size());
    row.captures = source.nameless;
    row.match = source.match;
    row.ignore_case = source.ignore_case;
    row.acl_name = image_.text(source.acl_name);
    row.reference = image_.text(source.reference);
    std::vector<abi::SetPart> parts;
    for (const ir::SetPart& part : source.parts) parts.push_back({part.reference.index, part.patterns});
    row.parts = image_.rows(parts);
    // A file that many tests read in the same way is there once.
    if (!source.reference.empty() && !parts.empty() && parts[0].patterns == source.patterns.size()) {
      abi::Rows<abi::Pattern>& rows = files[{source.parts[0].reference, source.match, source.ignore_case}];
      if (rows.count != parts[0].patterns) rows = add_patterns(source.patterns);
      row.patterns = rows;
    } else {
      row.patterns = add_patterns(source.patterns);
    }
    sets_.push_back(row);
  }
}

abi::Rows<abi::Pattern> ProgramWriter::add_patterns(const std::vector<model::Pattern>& source) {
  std::vector<abi::Pattern> rows;
  rows.reserve(source.size());
  for (const model::Pattern& pattern : source) {
    abi::Pattern row;
    row.text = image_.text(pattern.text);
    row.low = pattern.low;
    row.high = pattern.high;
    std::memcpy(row.ip, pattern.address.bytes.data(), sizeof row.ip);
    if (pattern.address.family == IpAddress::Family::v4) row.ip_family = 4;
    if (pattern.address.family == IpAddress::Family::v6) row.ip_family = 6;
    row.prefix_bits = pattern.prefix_bits;
    row.line = pattern.span.line;
    rows.push_back(row);
  }
  return image_.rows(rows);
}

void ProgramWriter::add_redirects() {
  for (const ir::Redirect& source : module_.redirects) {
    abi::Redirect row;
    row.kind = source.kind;
    row.code = source.code;
    row.drop_query = source.drop_query;
    row.append_slash = source.append_slash;
    row.clear_cookie = source.clear_cookie;
    row.set_cookie = image_.text(source.set_cookie);
    redirects_.push_back(row);
  }
}

}  // namespace hawser::compiler
