#include "compiler/lower/lower.h"

#include <algorithm>

#include "compiler/lower/entry_lowering.h"

namespace hawser::compiler {
namespace {

class ModuleLowering {
 public:
  explicit ModuleLowering(const model::Config& config) : config_(config), order_(config) {}

  ir::Module run() {
    sets();
    module_.replies = static_cast<std::uint32_t>(config_.replies.size() + std::size(kDenyStatus));
    for (const model::ProxyId id : order_.proxies()) {
      module_.proxies.push_back(config_.proxies[id].name);
      proxy(config_.proxies[id]);
    }
    return std::move(module_);
  }

 private:
  // Every set, in the order of the file.
  void sets() {
    for (const model::Reference& reference : config_.references) module_.references.add(reference);
    for (const model::PatternSet& source : config_.sets) {
      ir::PatternSet set;
      set.match = source.match;
      set.ignore_case = source.ignore_case;
      set.acl_name = source.acl_name;
      set.reference = source.reference;
      set.patterns = source.patterns;
      for (const model::ReferenceId reference : source.references) {
        const auto of_it = std::count_if(source.patterns.begin(), source.patterns.end(),
                                         [&](const model::Pattern& one) { return one.reference == reference; });
        set.parts.push_back({reference, static_cast<std::uint32_t>(of_it)});
      }
      module_.sets.add(std::move(set));
    }
  }

  // In the order of entry points. A proxy's own rules follow those of its named defaults already: it began as their copy.
  void proxy(const model::Proxy& proxy) {
    ruleset(proxy, model::Ruleset::tcp_connection);
    ruleset(proxy, model::Ruleset::tcp_session);
    ruleset(proxy, model::Ruleset::tcp_content);
    ruleset(proxy, model::Ruleset::http_request);
    if (proxy.frontend() && !proxy.backend_rules.empty()) {
      function(abi::EntryPoint::choose_backend,
               [&](EntryLowering& entry) { entry.backend_rules(proxy.backend_rules); });
    }
    ruleset(proxy, model::Ruleset::http_response);
    ruleset(proxy, model::Ruleset::tcp_response);
    if (proxy.frontend() && proxy.log_style.is_set() && *proxy.log_style != model::Proxy::LogStyle::none) {
      function(abi::EntryPoint::log, [&](EntryLowering& entry) { entry.log_line(*proxy.log_format); });
    }
  }

  void ruleset(const model::Proxy& proxy, model::Ruleset which) {
    const auto& rules = proxy.rules[static_cast<std::size_t>(which)];
    if (rules.empty()) return;
    const std::size_t redirect_lines = which == model::Ruleset::http_request ? proxy.redirect_lines : 0;
    function(model::row_of(which).point, [&](EntryLowering& entry) { entry.rules(rules, which, redirect_lines); });
  }

  template <class Fill>
  void function(abi::EntryPoint point, const Fill& fill) {
    ir::Function function;
    function.proxy = ir::ProxyIndex(static_cast<std::uint32_t>(module_.proxies.size() - 1));
    function.point = point;
    EntryLowering entry(config_, order_, module_, function);
    fill(entry);
    module_.functions.push_back(std::move(function));
  }

  const model::Config& config_;
  ProxyOrder order_;
  ir::Module module_;
};

}  // namespace

ir::Module lower(const model::Config& config) { return ModuleLowering(config).run(); }

}  // namespace hawser::compiler
