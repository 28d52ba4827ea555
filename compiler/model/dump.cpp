// The form of --dump=model: one fact a line, in a fixed order, indented by what it belongs to.
#include <fmt/format.h>

#include <iterator>

#include "compiler/model/config.h"
#include "compiler/model/dump_expression.h"

namespace hawser::model {
namespace {

class Dump {
 public:
  explicit Dump(const Config& config) : config_(config) {}

  std::string text() {
    global();
    for (const Proxy& proxy : config_.proxies) dump_proxy(proxy);
    for (std::size_t at = 0; at < config_.acls.size(); ++at) dump_acl(at, config_.acls[config_.acls.id_at(at)]);
    for (std::size_t at = 0; at < config_.sets.size(); ++at) dump_set(at, config_.sets[config_.sets.id_at(at)]);
    for (std::size_t at = 0; at < config_.replies.size(); ++at) {
      dump_reply(at, config_.replies[config_.replies.id_at(at)]);
    }
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    text_ += '\n';
  }
  template <class T>
  void number(std::string_view name, const Setting<T>& setting) {
    if (setting.is_set()) line("  {} {}", name, static_cast<std::uint64_t>(*setting));
  }
  void words(std::string_view name, const Setting<std::string>& setting) {
    if (setting.is_set()) line("  {} {}", name, quoted(*setting));
  }

  static std::string address(const Address& address) {
    switch (address.family) {
      case abi::Address::Family::none: return fmt::format("name {} port {}", address.host, address.port);
      case abi::Address::Family::v4: return fmt::format("{}:{}", address.ip.to_string(), address.port);
      case abi::Address::Family::v6: return fmt::format("[{}]:{}", address.ip.to_string(), address.port);
      case abi::Address::Family::unix_path: return address.path;
      case abi::Address::Family::abstract: return "abns@" + address.path;
      case abi::Address::Family::descriptor: return fmt::format("fd@{}", address.descriptor);
    }
    return "?";
  }

  void bind(std::string_view keyword, const Bind& bind) {
    std::string text = fmt::format("  {}", keyword);
    for (const Address& one : bind.addresses) text += ' ' + address(one);
    if (!bind.name.empty()) text += fmt::format(" name {}", bind.name);
    if (bind.id) text += fmt::format(" id {}", *bind.id);
    if (bind.maxconn != 0) text += fmt::format(" maxconn {}", bind.maxconn);
    if (bind.backlog != 0) text += fmt::format(" backlog {}", bind.backlog);
    if (bind.mode != 0) text += fmt::format(" mode {:o}", bind.mode);
    if (bind.uid) text += fmt::format(" uid {}", *bind.uid);
    if (bind.gid) text += fmt::format(" gid {}", *bind.gid);
    if (bind.transparent) text += " transparent";
    if (bind.fast_open) text += " fast-open";
    if (bind.defer_accept) text += " defer-accept";
    if (bind.v6_only) text += " v6only";
    if (bind.v4v6) text += " v4v6";
    if (bind.segment_bytes != 0) text += fmt::format(" mss {}", bind.segment_bytes);
    if (bind.user_timeout_ms != 0) text += fmt::format(" user-timeout {}", bind.user_timeout_ms);
    if (!bind.interface.empty()) text += fmt::format(" interface {}", bind.interface);
    if (bind.threads != 0) text += fmt::format(" threads {:#x}", bind.threads);
    if (keyword != "bind") text += fmt::format(" level {}", static_cast<int>(bind.level));
    if (bind.expose_listeners) text += " expose-listeners";
    line("{}", text);
  }

  void log(const LogTarget& log) {
    if (log.global) return line("  log global");
    line("  log {} format {} facility {} levels {}-{} length {}", address(log.address), static_cast<int>(log.format),
         log.facility, log.level_min, log.level_max, log.length_max);
  }

  void global() {
    const Global& global = config_.global;
    line("global");
    number("daemon", global.daemon);
    number("strict-limits", global.strict_limits);
    number("maxconn", global.maxconn);
    number("threads", global.threads);
    number("buffer-bytes", global.buffer_bytes);
    number("rewrite-bytes", global.rewrite_bytes);
    number("uid", global.uid);
    number("gid", global.gid);
    words("chroot", global.chroot);
    words("pidfile", global.pidfile);
    words("node", global.node);
    words("description", global.description);
    words("log-tag", global.log_tag);
    for (const LogTarget& one : global.logs) log(one);
    for (const Bind& one : global.command_sockets) bind("command-socket", one);
    number("command-timeout-ms", global.command_timeout_ms);
    number("command-maxconn", global.command_maxconn);
    number("grace-ms", global.grace_ms);
    number("hard-stop-ms", global.hard_stop_ms);
    number("reuse-port", global.reuse_port);
    number("master-worker", global.master_worker);
    number("exit-on-failure", global.exit_on_failure);
    number("reloads-max", global.reloads_max);
    number("connections-per-second", global.connections_per_second);
    number("sessions-per-second", global.sessions_per_second);
    number("descriptors", global.descriptors);
    number("descriptors-max", global.descriptors_max);
    number("dumpable", global.dumpable);
    for (const std::uint64_t cpus : global.thread_cpus) line("  cpus {:#x}", cpus);
    number("jit-cpu-seconds", global.jit_cpu_seconds);
  }

  static std::string_view kind_name(Proxy::Kind kind) {
    switch (kind) {
      case Proxy::Kind::defaults: return "defaults";
      case Proxy::Kind::frontend: return "frontend";
      case Proxy::Kind::backend: return "backend";
      case Proxy::Kind::listen: return "listen";
    }
    return "?";
  }

  std::string proxy_name(ProxyId id) const { return config_.proxies[id].name; }

  void dump_proxy(const Proxy& proxy) {
    line("{} {}", kind_name(proxy.kind), quoted(proxy.name));
    if (proxy.defaults) {
      line("  from {} ({})", quoted(proxy_name(*proxy.defaults)), proxy.defaults_explicit ? "named" : "the last one");
    }
    if (proxy.id) line("  id {}", *proxy.id);
    if (!proxy.description.empty()) line("  description {}", quoted(proxy.description));
    number("disabled", proxy.disabled);
    if (proxy.mode.is_set()) line("  mode {}", *proxy.mode == abi::Mode::http ? "http" : "tcp");
    for (const Bind& one : proxy.binds) bind("bind", one);
    number("maxconn", proxy.maxconn);
    number("backlog", proxy.backlog);
    proxy_settings(proxy);
    for (const auto& [name, value] : proxy.timeouts) number("timeout " + name, value);
    number("tcp-request inspect-delay", proxy.request_inspect_ms);
    number("tcp-response inspect-delay", proxy.response_inspect_ms);
    logs(proxy);
    for (const auto& [name, acl] : proxy.acls) line("  acl {} acl#{}", name, acl.index);
    for (std::size_t at = 0; at < proxy.rules.size(); ++at) rules(kRulesets[at].keyword, proxy.rules[at]);
    backends(proxy);
    for (const Server& one : proxy.servers) server(one);
    for (const auto& [status, reply] : proxy.error_files) line("  error {} reply#{}", status, reply.index);
  }

  void proxy_settings(const Proxy& proxy) {
    words("balance", proxy.balance);
    number("retries", proxy.retries);
    if (proxy.redispatch.is_set()) line("  redispatch {} every {}", *proxy.redispatch, proxy.redispatch_interval);
    number("reuse", proxy.reuse);
    number("dontlognull", proxy.dontlognull);
    number("http-keep-alive", proxy.http_keep_alive);
    number("http-server-close", proxy.http_server_close);
    number("httpclose", proxy.http_close);
    if (const Proxy::ForwardFor& forward = *proxy.forward_for; forward.enabled) {
      line("  forwardfor {}{}{}", forward.field, forward.if_none ? " if-none" : "",
           forward.except.family == IpAddress::Family::none
               ? ""
               : fmt::format(" except {}/{}", forward.except.to_string(), forward.except_bits));
    }
  }

  void logs(const Proxy& proxy) {
    for (const LogTarget& one : proxy.logs) log(one);
    if (!proxy.log_tag.empty()) line("  log-tag {}", quoted(proxy.log_tag));
    if (proxy.log_format.is_set()) {
      line("  log-format {}", text_of(*proxy.log_format));
    } else if (*proxy.log_style != Proxy::LogStyle::none) {
      line("  log-format-text {}", quoted(proxy.log_format_word.text));
    }
  }

  void rules(std::string_view keyword, const std::vector<Rule>& rules) {
    for (const Rule& rule : rules) {
      std::string text = fmt::format("  {} {}", keyword, abi::name_of(rule.action));
      if (!rule.name.empty()) text += ' ' + quoted(rule.name);
      if (!rule.method.empty()) text += fmt::format(" -m {}", rule.method);
      if (!rule.variable.name.empty()) text += ' ' + text_of(rule.variable);
      if (!rule.format.parts.empty()) text += ' ' + text_of(rule.format);
      if (rule.sample) text += ' ' + text_of(*rule.sample);
      if (rule.reply) text += fmt::format(" reply#{}", rule.reply->index);
      if (rule.redirect) text += ' ' + redirect(*rule.redirect);
      if (rule.condition) text += ' ' + text_of(*rule.condition);
      line("{}", text);
    }
  }

  static std::string redirect(const Redirect& redirect) {
    constexpr std::string_view kKinds[] = {"location", "prefix", "scheme"};
    std::string text = fmt::format("{} {} {}", kKinds[static_cast<std::size_t>(redirect.kind)], redirect.code,
                                   text_of(redirect.target));
    if (redirect.drop_query) text += " drop-query";
    if (redirect.append_slash) text += " append-slash";
    if (!redirect.set_cookie.empty()) {
      text += fmt::format(" {}-cookie {}", redirect.clear_cookie ? "clear" : "set", quoted(redirect.set_cookie));
    }
    return text;
  }

  void backends(const Proxy& proxy) {
    for (const BackendRule& rule : proxy.backend_rules) {
      line("  use_backend {}{}", rule.dynamic ? text_of(*rule.dynamic) : quoted(rule.backend_name),
           rule.condition ? ' ' + text_of(*rule.condition) : "");
    }
    words("default_backend", proxy.default_backend);
  }

  void server(const Server& server) {
    line("  server {} {}{}{} weight {}{}", server.name, address(server.address),
         server.port_given ? "" : fmt::format(" port {:+}", server.port_offset),
         server.id ? fmt::format(" id {}", *server.id) : "", server.weight, server.disabled ? " disabled" : "");
  }

  void dump_acl(std::size_t at, const Acl& acl) {
    line("acl#{} {}", at, acl.name.empty() ? "{ }" : acl.name);
    for (const Test& test : acl.tests) {
      line("  {} {}{}", text_of(test.sample), abi::to_string(test.match),
           test.set.valid() ? fmt::format(" set#{}", test.set.index) : "");
    }
  }

  void dump_set(std::size_t at, const PatternSet& set) {
    line("set#{} {}{}{}", at, abi::to_string(set.match), set.ignore_case ? " -i" : "",
         set.reference.empty() ? "" : " -f " + set.reference);
    for (const Pattern& pattern : set.patterns) line("  {}", quoted(pattern.text));
  }

  void dump_reply(std::size_t at, const Reply& reply) {
    line("reply#{} {}{}{}{} {}", at, reply.status, reply.silent ? " silent" : "", reply.raw ? " raw" : "",
         reply.is_error_page ? " error-page" : "", quoted(reply.content_type));
    for (const auto& [name, format] : reply.fields) line("  {}: {}", name, text_of(format));
    if (reply.body_format) {
      line("  body {}", text_of(*reply.body_format));
    } else if (!reply.body.empty()) {
      line("  body {} bytes", reply.body.size());
    }
  }

  const Config& config_;
  std::string text_;
};

}  // namespace

std::string dump(const Config& config) { return Dump(config).text(); }

}  // namespace hawser::model
