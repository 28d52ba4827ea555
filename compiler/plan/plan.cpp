// The Plan of a configuration: proxies, limits, timeouts, the process.
#include <algorithm>

#include "compiler/plan/rows.h"
#include "runtime/base/ascii.h"

namespace hawser::compiler {
namespace {

// Of the three ways to end an exchange, the one that was set last; a later line wins over an earlier one.
abi::ConnectionMode connection_mode(const model::Proxy& proxy) {
  const std::pair<const model::Setting<bool>*, abi::ConnectionMode> ways[] = {
      {&proxy.http_keep_alive, abi::ConnectionMode::keep_alive},
      {&proxy.http_server_close, abi::ConnectionMode::server_close},
      {&proxy.http_close, abi::ConnectionMode::close},
  };
  const auto place = [](const grammar::Span& span) { return std::pair(span.file.index, span.line); };
  abi::ConnectionMode mode = abi::ConnectionMode::keep_alive;
  const model::Setting<bool>* last = nullptr;
  for (const auto& [setting, value] : ways) {
    if (!setting->is_set() || !setting->value) continue;
    if (last != nullptr && place(setting->span) < place(last->span)) continue;
    last = setting;
    mode = value;
  }
  return mode;
}

template <class T>
void copy_if_set(const model::Setting<T>& setting, T& target) {
  if (setting.is_set()) target = setting.value;
}

}  // namespace

abi::Image make_plan(const model::Config& config, const grammar::Sources& sources, const Options& options) {
  return PlanWriter(config, sources, options).write();
}

abi::Image PlanWriter::write() {
  abi::Plan plan;
  plan.global = global();
  std::vector<abi::Proxy> proxies;
  std::vector<abi::Listener> listeners;
  // The command sockets' own frontend is number 1.
  Ids ids(config_.global.command_sockets.empty() ? 1 : 2);
  for (const model::ProxyId id : order_.proxies()) ids.reserve(config_.proxies[id].id);
  for (const model::ProxyId id : order_.proxies()) {
    const model::Proxy& source = config_.proxies[id];
    add_listeners(source, order_.index(id), listeners);
    proxies.push_back(proxy(source, ids.next(source.id)));
  }
  plan.proxies = builder_.rows(proxies);
  plan.listeners = builder_.rows(listeners);
  plan.replies = replies();
  return builder_.finish(plan);
}

abi::Global PlanWriter::global() {
  const model::Global& source = config_.global;
  abi::Global row;
  copy_if_set(source.daemon, row.daemon);
  copy_if_set(source.strict_limits, row.strict_limits);
  copy_if_set(source.maxconn, row.maxconn);
  if (options_.global_maxconn != 0) row.maxconn = options_.global_maxconn;
  copy_if_set(source.threads, row.threads);
  copy_if_set(source.buffer_bytes, row.buffer_bytes);
  copy_if_set(source.rewrite_bytes, row.rewrite_bytes);
  copy_if_set(source.uid, row.uid);
  copy_if_set(source.gid, row.gid);
  copy_if_set(source.command_timeout_ms, row.command_timeout_ms);
  copy_if_set(source.command_maxconn, row.command_maxconn);
  copy_if_set(source.grace_ms, row.grace_ms);
  copy_if_set(source.hard_stop_ms, row.hard_stop_ms);
  copy_if_set(source.reloads_max, row.reloads_max);
  copy_if_set(source.reuse_port, row.reuse_port);
  copy_if_set(source.master_worker, row.master_worker);
  copy_if_set(source.exit_on_failure, row.exit_on_failure);
  copy_if_set(source.dumpable, row.dumpable);
  copy_if_set(source.connections_per_second, row.connections_per_second);
  copy_if_set(source.sessions_per_second, row.sessions_per_second);
  copy_if_set(source.descriptors, row.descriptors);
  copy_if_set(source.descriptors_max, row.descriptors_max);
  row.thread_cpus = builder_.rows(source.thread_cpus);
  copy_if_set(source.jit_cpu_seconds, row.jit_cpu_seconds);
  row.chroot = builder_.text(*source.chroot);
  row.pidfile = builder_.text(*source.pidfile);
  row.node = builder_.text(*source.node);
  row.description = builder_.text(*source.description);
  row.log_tag = builder_.text(*source.log_tag);
  row.logs = logs(source.logs);
  std::vector<abi::CommandSocket> sockets;
  for (const model::Bind& bind : source.command_sockets) {
    for (const model::Address& at : bind.addresses) {
      abi::CommandSocket socket;
      socket.address = address(at);
      socket.level = bind.level;
      socket.unix_mode = bind.mode;
      if (bind.uid) socket.unix_uid = *bind.uid;
      if (bind.gid) socket.unix_gid = *bind.gid;
      socket.maxconn = bind.maxconn;
      socket.expose_listeners = bind.expose_listeners;
      socket.options = socket_options(bind);
      socket.place = place(bind.span);
      sockets.push_back(socket);
    }
  }
  row.command_sockets = builder_.rows(sockets);
  return row;
}

abi::Proxy PlanWriter::proxy(const model::Proxy& source, std::uint32_t id) {
  abi::Proxy row;
  row.name = builder_.text(source.name);
  row.id = id;
  row.is_frontend = source.frontend();
  row.is_backend = source.backend();
  copy_if_set(source.disabled, row.disabled);
  copy_if_set(source.mode, row.mode);
  row.connection_mode = connection_mode(source);
  copy_if_set(source.reuse, row.reuse);
  row.timeouts = timeouts(source);
  if (source.frontend()) {
    row.maxconn = options_.default_proxy_maxconn != 0 ? options_.default_proxy_maxconn : *config_.global.maxconn;
    copy_if_set(source.maxconn, row.maxconn);
  }
  copy_if_set(source.backlog, row.backlog);
  if (source.frontend()) copy_if_set(source.sessions_per_second, row.sessions_per_second);
  copy_if_set(source.retries, row.retries);
  copy_if_set(source.redispatch, row.redispatch);
  if (source.default_backend_id) row.default_backend = order_.index(*source.default_backend_id);
  row.log_null_connections = !(source.dontlognull.is_set() && *source.dontlognull);
  if (source.frontend()) {
    const bool styled = source.log_style.is_set() && *source.log_style != model::Proxy::LogStyle::none;
    row.log_format = styled ? abi::Proxy::LogFormat::program : abi::Proxy::LogFormat::plain;
  }
  if (source.forward_for.is_set()) row.forward_for = forward_for(*source.forward_for);
  row.logs = logs(source.logs);
  row.log_tag = builder_.text(source.log_tag.empty() ? *config_.global.log_tag : source.log_tag);
  row.servers = servers(source);
  for (const auto& [status, reply] : source.error_files) {
    const auto* slot = std::find(std::begin(abi::kErrorStatus), std::end(abi::kErrorStatus), status);
    HAWSER_CHECK(slot != std::end(abi::kErrorStatus));
    row.errors[slot - std::begin(abi::kErrorStatus)] = reply_index(config_, reply) + 1;
  }
  row.place = place(source.span);
  return row;
}

abi::Timeouts PlanWriter::timeouts(const model::Proxy& proxy) const {
  static constexpr std::pair<std::string_view, std::uint32_t abi::Timeouts::*> kNames[] = {
      {"client", &abi::Timeouts::client},
      {"client-fin", &abi::Timeouts::client_fin},
      {"connect", &abi::Timeouts::connect},
      {"server", &abi::Timeouts::server},
      {"server-fin", &abi::Timeouts::server_fin},
      {"http-request", &abi::Timeouts::http_request},
      {"http-keep-alive", &abi::Timeouts::http_keep_alive},
      {"queue", &abi::Timeouts::queue},
      {"tarpit", &abi::Timeouts::tarpit},
      {"tunnel", &abi::Timeouts::tunnel},
      {"check", &abi::Timeouts::check},
  };
  abi::Timeouts row;
  for (const auto& timeout : proxy.timeouts) {
    if (!timeout.second.is_set()) continue;
    if (timeout.first == "client-hs") continue;  // of TLS handshakes, which nothing in the file has
    const auto* known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const auto& name) { return name.first == timeout.first; });
    HAWSER_CHECK(known != std::end(kNames));
    row.*known->second = *timeout.second;
  }
  copy_if_set(proxy.request_inspect_ms, row.request_inspect);
  copy_if_set(proxy.response_inspect_ms, row.response_inspect);
  return row;
}

abi::ForwardFor PlanWriter::forward_for(const model::Proxy::ForwardFor& option) {
  abi::ForwardFor row;
  row.enabled = option.enabled;
  row.if_none = option.if_none;
  row.field = builder_.text(lower_cased(option.field));
  std::copy(option.except.bytes.begin(), option.except.bytes.end(), row.except_ip);
  if (option.except.family == IpAddress::Family::v4) row.except_family = 4;
  if (option.except.family == IpAddress::Family::v6) row.except_family = 6;
  row.except_bits = option.except_bits;
  return row;
}

abi::Rows<abi::Server> PlanWriter::servers(const model::Proxy& proxy) {
  std::vector<abi::Server> rows;
  if (!proxy.backend()) return {};
  Ids ids;
  for (const model::Server& server : proxy.servers) ids.reserve(server.id);
  for (const model::Server& source : proxy.servers) {
    abi::Server row;
    row.name = builder_.text(source.name);
    row.id = ids.next(source.id);
    row.address = address(source.address);
    row.host = builder_.text(source.address.host);
    row.port_given = source.port_given;
    row.port_offset = source.port_offset;
    row.weight = source.weight;
    row.disabled = source.disabled;
    row.place = place(source.span);
    rows.push_back(row);
  }
  return builder_.rows(rows);
}

abi::Place PlanWriter::place(grammar::Span span) {
  if (!span.valid()) return {};
  return {builder_.text(sources_.name(span.file)), span.line};
}

}  // namespace hawser::compiler
