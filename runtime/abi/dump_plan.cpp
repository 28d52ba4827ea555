// The Plan as text, one line a row; what has its default value is left out.
#include <fmt/format.h>

#include "runtime/abi/plan.h"

namespace hawser::abi {
namespace {

class PlanDump {
 public:
  explicit PlanDump(const ImageView& image) : image_(image), plan_(image.root<Plan>()) {}

  std::string run() {
    global(plan_.global);
    std::size_t number = 0;
    for (const Proxy& row : image_.rows(plan_.proxies)) proxy(number++, row);
    number = 0;
    for (const Listener& row : image_.rows(plan_.listeners)) listener(number++, row);
    number = 0;
    for (const Reply& row : image_.rows(plan_.replies)) reply(number++, row);
    return std::move(text_);
  }

 private:
  void number(std::string_view name, std::int64_t value, std::int64_t otherwise = 0) {
    if (value != otherwise) text_ += fmt::format(" {}={}", name, value);
  }
  void name(std::string_view name, Text value) {
    if (value.size > 0) text_ += fmt::format(" {}='{}'", name, image_.text(value));
  }
  void flag(std::string_view name, bool value) {
    if (value) text_ += fmt::format(" {}", name);
  }
  std::string address(const Address& row) const {
    switch (row.family) {
      case Address::Family::none: return fmt::format("{}:{}", image_.text(row.path), row.port);
      case Address::Family::descriptor: return fmt::format("fd@{}", row.descriptor);
      default: {
        const auto socket = socket_address(image_, row);
        return socket ? socket->to_string() : std::string(image_.text(row.path));
      }
    }
  }

  void global(const Global& row) {
    text_ += "global";
    flag("daemon", row.daemon);
    flag("no-strict-limits", !row.strict_limits);
    number("maxconn", row.maxconn);
    number("threads", row.threads);
    number("buffer", row.buffer_bytes, 16384);
    number("rewrite", row.rewrite_bytes, 1024);
    number("uid", row.uid);
    number("gid", row.gid);
    name("chroot", row.chroot);
    name("pidfile", row.pidfile);
    name("node", row.node);
    name("description", row.description);
    name("log-tag", row.log_tag);
    number("grace", row.grace_ms);
    number("hard-stop-after", row.hard_stop_ms);
    flag("no-reuse-port", !row.reuse_port);
    flag("master-worker", row.master_worker);
    flag("no-exit-on-failure", !row.exit_on_failure);
    number("reloads-max", row.reloads_max, 0xffff'ffff);
    number("connections-per-second", row.connections_per_second);
    number("sessions-per-second", row.sessions_per_second);
    number("descriptors", row.descriptors);
    number("descriptors-max", row.descriptors_max);
    flag("dumpable", row.dumpable);
    for (const std::uint64_t cpus : image_.rows(row.thread_cpus)) text_ += fmt::format(" cpus={:#x}", cpus);
    number("jit-max-cpu", row.jit_cpu_seconds, 10);
    number("command-timeout", row.command_timeout_ms, 10'000);
    number("command-maxconn", row.command_maxconn, 10);
    text_ += '\n';
    logs(row.logs);
    for (const CommandSocket& socket : image_.rows(row.command_sockets)) {
      text_ += fmt::format("  command socket {} level={}", address(socket.address), static_cast<int>(socket.level));
      flag("expose-listeners", socket.expose_listeners);
      options(socket.options);
      unix_owner(socket.unix_mode, socket.unix_uid, socket.unix_gid);
      text_ += '\n';
    }
  }
  void unix_owner(std::uint32_t mode, std::uint32_t uid, std::uint32_t gid) {
    if (mode != 0) text_ += fmt::format(" mode={:o}", mode);
    number("uid", uid, 0xffff'ffff);
    number("gid", gid, 0xffff'ffff);
  }
  void logs(Rows<LogTarget> rows) {
    static constexpr std::string_view kFormats[] = {"rfc3164", "rfc5424", "local", "raw",
                                                    "short",   "timed",   "iso",   "priority"};
    for (const LogTarget& row : image_.rows(rows)) {
      text_ += fmt::format("  log {} format={} facility={} level={}..{} length={}\n", address(row.address),
                           kFormats[static_cast<std::size_t>(row.format)], row.facility, row.level_min, row.level_max,
                           row.length_max);
    }
  }
  void proxy(std::size_t index, const Proxy& row) {
    static constexpr std::string_view kModes[] = {"tcp", "http"};
    static constexpr std::string_view kConnections[] = {"keep-alive", "server-close", "close"};
    static constexpr std::string_view kReuse[] = {"never", "safe", "aggressive", "always"};
    static constexpr std::string_view kLogs[] = {"none", "plain", "program"};
    text_ += fmt::format("proxy {} '{}' id={} {}", index, image_.text(row.name), row.id,
                         kModes[static_cast<std::size_t>(row.mode)]);
    flag("frontend", row.is_frontend);
    flag("backend", row.is_backend);
    flag("disabled", row.disabled);
    text_ += fmt::format(" {} reuse={}", kConnections[static_cast<std::size_t>(row.connection_mode)],
                         kReuse[static_cast<std::size_t>(row.reuse)]);
    timeouts(row.timeouts);
    number("maxconn", row.maxconn);
    number("backlog", row.backlog);
    number("retries", row.retries, 3);
    flag("redispatch", row.redispatch);
    number("default-backend", static_cast<std::int64_t>(row.default_backend), 0xffff'ffff);
    flag("no-null-logs", !row.log_null_connections);
    text_ += fmt::format(" log={}", kLogs[static_cast<std::size_t>(row.log_format)]);
    if (row.forward_for.enabled) {
      name("forward-for", row.forward_for.field);
      flag("if-none", row.forward_for.if_none);
    }
    name("log-tag", row.log_tag);
    for (std::size_t slot = 0; slot < std::size(row.errors); ++slot) {
      if (row.errors[slot] != 0) text_ += fmt::format(" error-{}={}", kErrorStatus[slot], row.errors[slot] - 1);
    }
    text_ += '\n';
    logs(row.logs);
    for (const Server& server : image_.rows(row.servers)) {
      text_ += fmt::format("  server '{}' id={} {}", image_.text(server.name), server.id, address(server.address));
      name("host", server.host);
      flag("client-port", !server.port_given);
      number("port-offset", server.port_offset);
      number("weight", server.weight, 1);
      flag("disabled", server.disabled);
      text_ += '\n';
    }
  }
  void timeouts(const Timeouts& row) {
    number("client", row.client);
    number("client-fin", row.client_fin);
    number("connect", row.connect);
    number("server", row.server);
    number("server-fin", row.server_fin);
    number("http-request", row.http_request);
    number("http-keep-alive", row.http_keep_alive);
    number("queue", row.queue);
    number("tarpit", row.tarpit);
    number("request-inspect", row.request_inspect);
    number("response-inspect", row.response_inspect);
    number("tunnel", row.tunnel);
    number("check", row.check);
  }
  void listener(std::size_t index, const Listener& row) {
    text_ += fmt::format("listener {} '{}' id={} proxy={} {}", index, image_.text(row.name), row.id, row.proxy,
                         address(row.address));
    number("maxconn", row.maxconn);
    number("backlog", row.backlog);
    options(row.options);
    if (row.threads != 0) text_ += fmt::format(" threads={:#x}", row.threads);
    unix_owner(row.unix_mode, row.unix_uid, row.unix_gid);
    text_ += '\n';
  }
  void options(const SocketOptions& row) {
    flag("transparent", row.transparent);
    flag("fast-open", row.fast_open);
    flag("defer-accept", row.defer_accept);
    flag("v6only", row.v6_only);
    number("mss", row.segment_bytes);
    number("user-timeout", row.user_timeout_ms);
    name("interface", row.interface);
  }
  void reply(std::size_t index, const Reply& row) {
    text_ += fmt::format("reply {} status={}", index, row.status);
    flag("silent", row.silent);
    flag("raw", row.raw);
    flag("computed", row.computed);
    flag("error-page", row.error_page);
    name("content-type", row.content_type);
    number("bytes", row.body.size);
    for (const Text field : image_.rows(row.field_names)) text_ += fmt::format(" hdr '{}'", image_.text(field));
    text_ += '\n';
  }

  const ImageView& image_;
  const Plan& plan_;
  std::string text_;
};

}  // namespace

std::string dump_plan(const ImageView& image) { return PlanDump(image).run(); }

}  // namespace hawser::abi
