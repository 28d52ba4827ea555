#include "compiler/lower/lower.h"

#include <cstring>

#include "compiler/lower/writer.h"

namespace hawser::compiler {

abi::Image lower(const model::Config& config) { return lower(config, {}); }

abi::Image lower(const model::Config& config, const LowerOptions& options) {
  return ProgramWriter(config, options).write();
}

abi::Image ProgramWriter::write() {
  add_sets();
  std::vector<abi::ProxyEntries> proxies;
  for (const model::ProxyId id : order_.proxies()) proxies.push_back(entries(config_.proxies[id]));
  abi::Program program;
  program.steps = image_.rows(steps_);
  program.functions = image_.rows(functions_);
  program.proxies = image_.rows(proxies);
  program.sets = image_.rows(sets_);
  program.redirects = image_.rows(redirects_);
  for (const abi::Function& function : functions_) {
    program.registers_max = std::max<std::uint32_t>(program.registers_max, function.registers);
  }
  program.replies = static_cast<std::uint32_t>(config_.replies.size() + std::size(kDenyStatus));
  return image_.finish(program);
}

// A proxy's own rules follow those of its named defaults already: it began as their copy.
abi::ProxyEntries ProgramWriter::entries(const model::Proxy& proxy) {
  abi::ProxyEntries row;
  const auto at = [&](abi::EntryPoint point) -> abi::Entry& { return row.at[static_cast<std::size_t>(point)]; };
  const auto ruleset = [&](abi::EntryPoint point, model::Ruleset which) {
    const auto& rules = proxy.rules[static_cast<std::size_t>(which)];
    if (rules.empty()) return;
    FunctionBuilder function(options_.suspend_everywhere);
    const std::size_t redirect_lines = which == model::Ruleset::http_request ? proxy.redirect_lines : 0;
    EntryLowering(*this, function, point).rules(rules, which, redirect_lines);
    at(point) = entry(function);
  };
  ruleset(abi::EntryPoint::http_request, model::Ruleset::http_request);
  ruleset(abi::EntryPoint::http_response, model::Ruleset::http_response);
  if (proxy.frontend() && !proxy.backend_rules.empty()) {
    FunctionBuilder function(options_.suspend_everywhere);
    EntryLowering(*this, function, abi::EntryPoint::choose_backend).backend_rules(proxy.backend_rules);
    at(abi::EntryPoint::choose_backend) = entry(function);
  }
  if (proxy.frontend() && proxy.log_style.is_set() && *proxy.log_style != model::Proxy::LogStyle::none) {
    FunctionBuilder function(options_.suspend_everywhere);
    EntryLowering(*this, function, abi::EntryPoint::log).log_line(*proxy.log_format);
    at(abi::EntryPoint::log) = entry(function);
  }
  return row;
}

abi::Entry ProgramWriter::entry(FunctionBuilder& builder) {
  abi::Entry entry;
  entry.function = function(builder);
  entry.bindings = image_.rows(builder.constants());
  return entry;
}

std::uint32_t ProgramWriter::function(FunctionBuilder& builder) {
  const std::vector<abi::Step>& steps = builder.finish();
  std::string bytes(reinterpret_cast<const char*>(steps.data()), steps.size() * sizeof(abi::Step));
  const auto [found, is_new] = shared_.try_emplace(std::move(bytes), static_cast<std::uint32_t>(functions_.size()));
  if (!is_new) return found->second;
  abi::Function function;
  function.first_step = static_cast<std::uint32_t>(steps_.size());
  function.steps = static_cast<std::uint32_t>(steps.size());
  function.registers = builder.registers();
  function.resume_points = builder.resume_points();
  function.constants = static_cast<std::uint32_t>(builder.constants().size());
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  functions_.push_back(function);
  return found->second;
}

std::uint32_t ProgramWriter::add_set(const abi::PatternSet& set) {
  sets_.push_back(set);
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

std::uint32_t ProgramWriter::add_redirect(const abi::Redirect& redirect) {
  redirects_.push_back(redirect);
  return static_cast<std::uint32_t>(redirects_.size() - 1);
}

// Every set, in the order of the file: its index is its `#id`.
void ProgramWriter::add_sets() {
  for (const model::PatternSet& source : config_.sets) {
    std::vector<abi::Pattern> patterns;
    for (const model::Pattern& pattern : source.patterns) {
      abi::Pattern row;
      row.text = image_.text(pattern.text);
      row.low = pattern.low;
      row.high = pattern.high;
      std::memcpy(row.ip, pattern.address.bytes.data(), sizeof row.ip);
      if (pattern.address.family == IpAddress::Family::v4) row.ip_family = 4;
      if (pattern.address.family == IpAddress::Family::v6) row.ip_family = 6;
      row.prefix_bits = pattern.prefix_bits;
      row.line = pattern.span.line;
      patterns.push_back(row);
    }
    abi::PatternSet row;
    row.id = static_cast<std::uint32_t>(sets_.size());
    row.match = source.match;
    row.ignore_case = source.ignore_case;
    row.acl_name = image_.text(source.acl_name);
    row.reference = image_.text(source.reference);
    row.patterns = image_.rows(patterns);
    sets_.push_back(row);
  }
}

}  // namespace hawser::compiler
