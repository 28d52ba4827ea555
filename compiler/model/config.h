// The typed model of a whole configuration: what the resolver makes, the checks prove consistent, and plan and
// lowering read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/expression.h"
#include "grammar/reader.h"
#include "runtime/abi/plan.h"

namespace hawser::model {

// A setting with the place that set it; not set while its span is invalid.
template <class T>
struct Setting {
  T value{};
  Span span;
  bool is_set() const noexcept { return span.valid(); }
  const T& operator*() const noexcept { return value; }
};

struct Address {
  abi::Address::Family family = abi::Address::Family::none;
  IpAddress ip;
  std::uint16_t port = 0;
  std::uint32_t descriptor = 0;
  std::string path;  // UNIX path or abstract name
  std::string host;  // a name to look up, when family is none
  Span span;
};

struct Bind {
  std::vector<Address> addresses;  // ranges expanded, one listener each
  std::string text;                // the addresses as written
  std::string name;
  std::optional<std::uint32_t> id;
  std::uint32_t maxconn = 0;
  std::uint32_t backlog = 0;
  std::uint32_t mode = 0;
  std::optional<std::uint32_t> uid, gid;
  bool transparent = false, fast_open = false, defer_accept = false;
  bool v6_only = false, v4v6 = false;  // neither: as the address says
  std::int32_t segment_bytes = 0;
  std::uint32_t user_timeout_ms = 0;
  std::string interface;
  std::uint64_t threads = 0;
  // Of `stats socket`:
  abi::AccessLevel level = abi::AccessLevel::oper;
  bool expose_listeners = false;
  Span span;
};

struct Server {
  std::string name;
  std::optional<std::uint32_t> id;
  Address address;
  bool port_given = true;
  std::int32_t port_offset = 0;
  std::uint32_t weight = 1;
  bool disabled = false;
  Span span;
};

struct LogTarget {
  bool global = false;  // `log global`
  abi::LogTarget::Kind kind = abi::LogTarget::Kind::datagram;
  abi::LogTarget::Format format = abi::LogTarget::Format::local;
  Address address;
  std::uint8_t facility = 16;
  std::uint8_t level_max = 7;
  std::uint8_t level_min = 0;
  std::uint32_t length_max = 1024;
  Span span;
};

// What a `return`, a `deny` or an error file answers.
struct Reply {
  std::uint16_t status = 0;
  bool silent = false;
  bool raw = false;
  std::string content_type;
  std::string body;                                    // fixed
  std::optional<Format> body_format;                   // lf-string, lf-file
  std::vector<std::pair<std::string, Format>> fields;  // hdr NAME FORMAT
  bool is_error_page = false;  // the proxy's error page of this status, instead of a body of its own
  Span span;
};

struct Redirect {
  abi::Redirect::Kind kind = abi::Redirect::Kind::location;
  std::uint16_t code = 302;
  bool drop_query = false;
  bool append_slash = false;
  std::string set_cookie;
  bool clear_cookie = false;
  Format target;
};

enum class Ruleset : std::uint8_t {
  http_request,
  http_response,
  tcp_connection,
  tcp_session,
  tcp_content,
  tcp_response,
  count_
};
struct RulesetRow {
  abi::EntryPoint point;
  std::string_view keyword;
};
inline constexpr RulesetRow kRulesets[] = {
    {abi::EntryPoint::http_request, "http-request"},         {abi::EntryPoint::http_response, "http-response"},
    {abi::EntryPoint::connection, "tcp-request connection"}, {abi::EntryPoint::session, "tcp-request session"},
    {abi::EntryPoint::content, "tcp-request content"},       {abi::EntryPoint::tcp_response, "tcp-response content"},
};
static_assert(std::size(kRulesets) == static_cast<std::size_t>(Ruleset::count_));
constexpr const RulesetRow& row_of(Ruleset ruleset) noexcept { return kRulesets[static_cast<std::size_t>(ruleset)]; }
// That of a point that has one.
constexpr Ruleset ruleset_at(abi::EntryPoint point) noexcept {
  std::size_t at = 0;
  while (at + 1 < std::size(kRulesets) && kRulesets[at].point != point) ++at;
  return static_cast<Ruleset>(at);
}

// One line of a ruleset. Which members mean something is the action's affair.
struct Rule {
  abi::ActionId action{};
  std::string name;    // of a field, lower-cased
  Format format;       // set-header, add-header
  std::string method;  // del-header -m: "str", "beg", …
  Variable variable;   // set-var
  std::optional<SampleExpr> sample;
  std::optional<ReplyId> reply;  // deny, return
  std::optional<Redirect> redirect;
  std::optional<Condition> condition;
  Span span;
};

struct BackendRule {
  std::optional<ProxyId> backend;  // static
  std::string backend_name;
  std::optional<Format> dynamic;  // use_backend %[…]
  std::optional<Condition> condition;
  Span span;
};

struct Proxy {
  enum class Kind : std::uint8_t { defaults, frontend, backend, listen };
  Kind kind = Kind::frontend;
  std::string name;
  std::optional<std::uint32_t> id;
  Setting<bool> disabled;
  Setting<abi::Mode> mode;
  std::vector<Bind> binds;
  std::vector<Server> servers;
  Server default_server;  // what `default-server` gave so far: a server begins as a copy of it
  Setting<std::string> balance;
  Setting<std::uint32_t> maxconn;
  Setting<std::uint32_t> backlog;
  Setting<std::uint32_t> sessions_per_second;
  Setting<std::uint32_t> retries;
  Setting<bool> redispatch;
  std::int32_t redispatch_interval = -1;
  Setting<abi::Reuse> reuse;
  // Flags: `option NAME` and `no option NAME`; inherited like every setting.
  Setting<bool> dontlognull, http_keep_alive, http_server_close, http_close;
  struct ForwardFor {
    bool enabled = false;
    bool if_none = false;
    std::string field = "X-Forwarded-For";
    IpAddress except;
    std::uint8_t except_bits = 0;
  };
  Setting<ForwardFor> forward_for;
  // By HAProxy's names: "client", "client-fin", "http-request" …; milliseconds.
  std::map<std::string, Setting<std::uint32_t>, std::less<>> timeouts;
  std::vector<LogTarget> logs;
  std::string log_tag;
  enum class LogStyle : std::uint8_t { none, tcplog, httplog, custom };
  Setting<LogStyle> log_style;
  Setting<Format> log_format;     // the parts, for all styles but none
  std::string log_format_text;    // as written: parsed when the proxy's mode is known
  grammar::Word log_format_word;  // the same with its place in the file
  Setting<std::string> default_backend;
  std::optional<ProxyId> default_backend_id;
  std::vector<BackendRule> backend_rules;
  std::array<std::vector<Rule>, static_cast<std::size_t>(Ruleset::count_)> rules;
  Setting<std::uint32_t> request_inspect_ms,
      response_inspect_ms;  // tcp-request inspect-delay, tcp-response inspect-delay
  // The rules of `redirect` lines: the last ones of the http-request rules, whatever the order of the lines.
  std::size_t redirect_lines = 0;
  std::map<std::string, AclId, std::less<>> acls;
  std::map<std::string, AclId, std::less<>> predefined_acls;  // HAProxy's own that are used
  std::map<std::uint16_t, ReplyId> error_files;               // by status
  std::string description;
  std::optional<ProxyId> defaults;  // the section it inherits from
  bool defaults_explicit = false;
  // Of a defaults section: who has inherited from it so far.
  struct Heirs {
    bool frontends = false;
    bool backends = false;
    bool by_name = false;   // through `from`
    bool by_place = false;  // because it was the last one
  };
  Heirs heirs;
  Span span;  // of the section's line
  Span name_span;

  bool frontend() const noexcept { return kind == Kind::frontend || kind == Kind::listen; }
  bool backend() const noexcept { return kind == Kind::backend || kind == Kind::listen; }
};

struct Global {
  Setting<bool> daemon;
  Setting<bool> strict_limits;
  Setting<std::uint32_t> maxconn, threads, buffer_bytes, rewrite_bytes, uid, gid;
  Setting<std::string> chroot, pidfile, node, description, log_tag;
  std::vector<LogTarget> logs;
  std::vector<Bind> command_sockets;
  Setting<std::uint32_t> command_timeout_ms;
  Setting<std::uint32_t> command_maxconn;
  Setting<std::uint32_t> grace_ms, hard_stop_ms, reloads_max;
  Setting<bool> reuse_port, master_worker, exit_on_failure, dumpable;
  Setting<std::uint32_t> connections_per_second, sessions_per_second, descriptors, descriptors_max;
  std::vector<std::uint64_t> thread_cpus;  // by thread; 0: any
  Setting<std::uint32_t> jit_cpu_seconds;
};

struct Config {
  Global global;
  Store<Proxy, ProxyId> proxies;  // also the defaults sections, in order
  std::map<std::string, std::vector<ProxyId>, std::less<>> proxies_by_name;
  std::map<std::uint32_t, ProxyId> proxies_by_id;  // those with an `id`
  std::optional<ProxyId> last_defaults;
  Store<Acl, AclId> acls;
  Store<PatternSet, SetId> sets;             // in the order of the file
  Store<Reference, ReferenceId> references;  // in the order of the file: their `#id`
  std::map<std::string, ReferenceId, std::less<>> references_by_file;
  Store<Reply, ReplyId> replies;
};

// The form of --dump=model.
std::string dump(const Config& config);

}  // namespace hawser::model
