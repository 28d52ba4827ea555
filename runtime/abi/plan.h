// The Plan: everything about a configuration that is not a rule. Listeners, proxies, servers, limits,
// timeouts, logs, replies, the command sockets, the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/abi/image.h"
#include "runtime/abi/program.h"
#include "runtime/base/address.h"

namespace hawser::abi {

// A place in the configuration, so that what fails at start names its line.
struct Place {
  Text file;
  std::uint32_t line = 0;
};

// An address as sockets want it. `host` is left for names that are looked up at start.
struct Address {
  enum class Family : std::uint8_t { none, v4, v6, unix_path, abstract, descriptor };
  Family family = Family::none;
  std::uint8_t ip[16] = {};
  std::uint16_t port = 0;
  std::uint32_t descriptor = 0;
  Text path;  // of unix_path and abstract; of v4 and v6: the host as written
};

inline constexpr std::uint32_t kForever = 0;  // a timeout that is not set

// Milliseconds; kForever: none.
struct Timeouts {
  std::uint32_t client = kForever;
  std::uint32_t client_fin = kForever;
  std::uint32_t connect = kForever;
  std::uint32_t server = kForever;
  std::uint32_t server_fin = kForever;
  std::uint32_t http_request = kForever;
  std::uint32_t http_keep_alive = kForever;
  std::uint32_t queue = kForever;
  std::uint32_t tarpit = kForever;
  std::uint32_t tunnel = kForever;
  std::uint32_t check = kForever;
  std::uint32_t request_inspect = kForever;   // tcp-request inspect-delay: without one, nothing is waited for
  std::uint32_t response_inspect = kForever;  // tcp-response inspect-delay
};

enum class Mode : std::uint8_t { tcp, http };
enum class ConnectionMode : std::uint8_t { keep_alive, server_close, close };  // the stronger of both sides wins
enum class Reuse : std::uint8_t { never, safe, aggressive, always };
enum class AccessLevel : std::uint8_t { user = 1, oper, admin };

// Of a TCP socket that listens.
struct SocketOptions {
  bool transparent = false;           // accept what is meant for others
  bool fast_open = false;             // data in the SYN
  bool defer_accept = false;          // wake up with the first bytes
  bool v6_only = false;               // of an IPv6 address: no IPv4
  std::int32_t segment_bytes = 0;     // the largest that we announce; 0: the system's
  std::uint32_t user_timeout_ms = 0;  // how long sent bytes may stay without an answer
  Text interface;                     // empty: any
};

struct Listener {
  std::uint32_t proxy = 0;  // of Plan::proxies
  std::uint32_t id = 0;     // `id`, or counted from 1 in each proxy
  Text name;                // `name`, or "sock-N"
  Address address;
  std::uint32_t maxconn = 0;    // 0: no limit of its own
  std::uint32_t backlog = 0;    // 0: the default
  std::uint32_t unix_mode = 0;  // of a UNIX socket; 0: as umask gives
  std::uint32_t unix_uid = 0xffff'ffff;
  std::uint32_t unix_gid = 0xffff'ffff;
  SocketOptions options;
  std::uint64_t threads = 0;  // the workers that accept, a bit each; 0: all
  Place place;
};

// UDP or UNIX datagrams, or a descriptor to write to.
struct LogTarget {
  enum class Kind : std::uint8_t { datagram, descriptor };
  // `local` is rfc3164 without the host; without `format` it is what HAProxy sends.
  enum class Format : std::uint8_t { rfc3164, rfc5424, local, raw, short_, timed, iso, priority };
  Kind kind = Kind::datagram;
  Format format = Format::local;
  std::uint8_t facility = 16;  // local0
  std::uint8_t level_max = 7;  // messages above are not sent
  std::uint8_t level_min = 0;  // more important ones are sent as this
  std::uint32_t length_max = 1024;
  Address address;
  Place place;
};

// A whole HTTP/1 reply, or the parts of one; `return`, `deny`, errorfile, built-in errors.
struct Reply {
  std::uint16_t status = 0;
  bool silent = false;      // an empty error file: close without a word
  bool raw = false;         // `body` is the whole reply as read from an error file, head included
  Text content_type;        // empty: none
  Text body;                // fixed; else the text in the step's register (`computed`)
  bool computed = false;    // body by steps: Frame::body
  bool error_page = false;  // the answering proxy's page for `status` (Proxy::errors, else built in), not `body`
  Rows<Text> field_names;   // `hdr NAME FORMAT`: the values are by steps, in this order
};

struct Server {
  Text name;
  std::uint32_t id = 0;    // `id`, or counted from 1
  Address address;         // `none` with a host name: looked up at start
  Text host;               // as written
  bool port_given = true;  // false: the client's port
  std::int32_t port_offset = 0;
  std::uint32_t weight = 1;  // 0 … 256
  bool disabled = false;
  Place place;
};

enum class ErrorSlot : std::uint8_t {
  e200,
  e400,
  e401,
  e403,
  e404,
  e405,
  e407,
  e408,
  e410,
  e413,
  e414,
  e425,
  e429,
  e431,
  e500,
  e501,
  e502,
  e503,
  e504,
  count_
};
inline constexpr std::uint16_t kErrorStatus[] = {200, 400, 401, 403, 404, 405, 407, 408, 410, 413,
                                                 414, 425, 429, 431, 500, 501, 502, 503, 504};

struct ForwardFor {
  bool enabled = false;
  bool if_none = false;
  Text field;  // lower-cased: "x-forwarded-for"
  std::uint8_t except_ip[16] = {};
  std::uint8_t except_family = 0;  // 0: none; 4 or 6
  std::uint8_t except_bits = 0;
};

struct Proxy {
  Text name;
  std::uint32_t id = 0;
  bool is_frontend = false;
  bool is_backend = false;
  bool disabled = false;
  Mode mode = Mode::tcp;
  ConnectionMode connection_mode = ConnectionMode::keep_alive;
  Reuse reuse = Reuse::safe;
  Timeouts timeouts;
  std::uint32_t maxconn = 0;  // of a frontend, resolved
  std::uint32_t backlog = 0;
  std::uint32_t sessions_per_second = 0;  // 0: no limit
  std::uint32_t retries = 3;
  bool redispatch = false;
  std::uint32_t default_backend = 0xffff'ffff;
  bool log_null_connections = true;  // `option dontlognull` clears it
  enum class LogFormat : std::uint8_t { none, plain, program } log_format = LogFormat::none;  // plain: "Connect from …"
  ForwardFor forward_for;
  Rows<LogTarget> logs;
  Text log_tag;
  Rows<Server> servers;
  std::uint32_t errors[static_cast<std::size_t>(ErrorSlot::count_)] = {};  // reply + 1; 0: the built-in one
  Place place;
};

struct CommandSocket {
  Address address;
  AccessLevel level = AccessLevel::oper;
  std::uint32_t unix_mode = 0;
  std::uint32_t unix_uid = 0xffff'ffff;
  std::uint32_t unix_gid = 0xffff'ffff;
  std::uint32_t maxconn = 0;
  bool expose_listeners = false;
  SocketOptions options;
  Place place;
};

struct Global {
  bool daemon = false;
  bool strict_limits = true;
  std::uint32_t maxconn = 0;  // 0: worked out from the descriptor limit at start
  std::uint32_t threads = 0;  // 0: as many as CPUs that we may use
  std::uint32_t buffer_bytes = 16384;
  std::uint32_t rewrite_bytes = 1024;
  std::uint32_t uid = 0;  // 0: unchanged
  std::uint32_t gid = 0;
  Text chroot;
  Text pidfile;
  Text node;
  Text description;
  Text log_tag;
  Rows<LogTarget> logs;
  std::uint32_t command_timeout_ms = 10'000;
  std::uint32_t command_maxconn = 10;
  Rows<CommandSocket> command_sockets;
  std::uint32_t grace_ms = 0;      // a soft stop begins so much later
  std::uint32_t hard_stop_ms = 0;  // a soft stop lasts so long at most; 0: for ever
  bool reuse_port = true;
  bool master_worker = false;
  bool exit_on_failure = true;               // a master whose worker died ends, too
  std::uint32_t reloads_max = 0xffff'ffff;   // a worker that is older than so many reloads is ended
  std::uint32_t connections_per_second = 0;  // 0: no limit
  std::uint32_t sessions_per_second = 0;     // 0: no limit
  std::uint32_t descriptors = 0;             // ulimit-n; 0: as many as are needed
  std::uint32_t descriptors_max = 0;         // fd-hard-limit; 0: as the system says
  bool dumpable = false;                     // core files in spite of another user
  Rows<std::uint64_t> thread_cpus;           // by worker: a bit a CPU; 0: any
  std::uint32_t jit_cpu_seconds = 10;        // what making native code may cost
};

struct Plan {
  static constexpr std::uint32_t kMagic = 0x4c'50'57'48;  // "HWPL"
  static constexpr std::uint32_t kVersion = 1;
  Global global;
  Rows<Proxy> proxies;       // in the order of the file
  Rows<Listener> listeners;  // all of them; a port range is several
  Rows<Reply> replies;       // also those that Constant::reply names
};

// The address that a socket is bound or connected to; nothing for a name, a descriptor, or a path that is too long.
std::optional<SocketAddress> socket_address(const ImageView& image, const Address& address) noexcept;

// Checks every offset and index of a Plan, and that the Program beside it was made for it: "" or what is wrong.
std::string verify_plan(const ImageView& plan);
std::string verify_pair(const ImageView& plan, const ImageView& program);

// The form of --dump=plan.
std::string dump_plan(const ImageView& image);

}  // namespace hawser::abi
