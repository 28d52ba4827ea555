// Opens listening sockets as HAProxy does, down to the texts of what fails (measured with 2.6.12).
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "runtime/net/sockets.h"

namespace hawser::net {

namespace {

// What both kinds of listeners have.
struct Wanted {
  const abi::Address& address;
  std::uint32_t unix_mode;
  std::uint32_t unix_uid;
  std::uint32_t unix_gid;
  int backlog;
  const abi::SocketOptions& options;
  ListenerSource source = {};
};

// A reason without its place: "cannot bind socket (Address already in use) for [127.0.0.1:80]".
using Opened = Result<Descriptor, std::string>;

std::string reason(int code) { return std::generic_category().message(code); }

// HAProxy writes an IPv6 address without brackets here.
std::string shown(const SocketAddress& address) {
  return fmt::format("{}:{}", address.ip().to_string(), address.port());
}

// Closes its descriptor unless it is kept.
class Guard {
 public:
  explicit Guard(Descriptor descriptor) noexcept : descriptor_(descriptor) {}
  ~Guard() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  Descriptor keep() noexcept { return std::exchange(descriptor_, -1); }

 private:
  Descriptor descriptor_;
};

void enable(Descriptor descriptor, int level, int option, int value = 1) noexcept {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

// What `bind` says of a TCP socket; nothing, or what failed. HAProxy 2.6 only warns of some of it, and serves otherwise than
// the file says.
std::optional<std::string> set_options(const Wanted& wanted, const abi::ImageView& plan, Descriptor descriptor) {
  const abi::SocketOptions& options = wanted.options;
  const auto set = [&](int level, int option, int value) {
    return value == 0 || setsockopt(descriptor, level, option, &value, sizeof value) == 0;
  };
  const std::string_view interface = plan.text(options.interface);
  if (!interface.empty() &&
      setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface.data(), static_cast<socklen_t>(interface.size()))) {
    return fmt::format("cannot bind receiver to device '{}' ({})", interface, reason(errno));
  }
  if (options.transparent && !set(SOL_IP, IP_TRANSPARENT, 1) && !set(SOL_IPV6, IPV6_TRANSPARENT, 1)) {
    return fmt::format("cannot make receiving socket transparent ({})", reason(errno));
  }
  if (!set(IPPROTO_TCP, TCP_MAXSEG, options.segment_bytes)) {
    return fmt::format("cannot set MSS to {} ({})", options.segment_bytes, reason(errno));
  }
  if (!set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(options.user_timeout_ms))) {
    return fmt::format("cannot set TCP User Timeout ({})", reason(errno));
  }
  if (!set(IPPROTO_TCP, TCP_DEFER_ACCEPT, options.defer_accept ? 1 : 0)) {
    return fmt::format("cannot enable DEFER_ACCEPT ({})", reason(errno));
  }
  if (!set(IPPROTO_TCP, TCP_FASTOPEN, options.fast_open ? wanted.backlog : 0)) {
    return fmt::format("cannot enable TCP_FASTOPEN ({})", reason(errno));
  }
  return std::nullopt;
}

Opened open_ip(const Wanted& wanted, const SocketAddress& address, const abi::ImageView& plan) {
  if (wanted.source.given != nullptr) {
    if (const Descriptor given = wanted.source.given->take(address); given >= 0) {
      Guard guard(given);
      if (auto failed = set_options(wanted, plan, given)) return fmt::format("{} for [{}]", *failed, shown(address));
      listen(given, wanted.backlog);
      return guard.keep();
    }
  }
  const Descriptor descriptor = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (descriptor < 0) return fmt::format("cannot create receiving socket ({}) for [{}]", reason(errno), shown(address));
  Guard guard(descriptor);
  enable(descriptor, SOL_SOCKET, SO_REUSEADDR);
  if (wanted.source.reuse_port)
    enable(descriptor, SOL_SOCKET, SO_REUSEPORT);  // a new process may bind while the old one still serves
  if (address.family() == AF_INET6) enable(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, wanted.options.v6_only ? 1 : 0);
  enable(descriptor, IPPROTO_TCP, TCP_NODELAY);  // what is accepted inherits it
  if (auto failed = set_options(wanted, plan, descriptor)) return fmt::format("{} for [{}]", *failed, shown(address));
  if (bind(descriptor, &address.any, address.size) != 0) {
    return fmt::format("cannot bind socket ({}) for [{}]", reason(errno), shown(address));
  }
  if (listen(descriptor, wanted.backlog) != 0) {
    return fmt::format("cannot listen to socket ({}) for [{}]", reason(errno), shown(address));
  }
  return guard.keep();
}

Opened open_abstract(const Wanted& wanted, std::string_view name) {
  const std::optional<SocketAddress> address = SocketAddress::unix_path(name, true);
  if (!address) return fmt::format("abstract name too long [{}]", name);
  if (wanted.source.given != nullptr) {
    if (const Descriptor given = wanted.source.given->take(*address); given >= 0) return given;
  }
  const Descriptor descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return fmt::format("cannot create receiving socket ({}) [{}]", reason(errno), name);
  Guard guard(descriptor);
  if (bind(descriptor, &address->any, address->size) != 0)
    return fmt::format("cannot bind UNIX socket ({}) [{}]", reason(errno), name);
  if (listen(descriptor, wanted.backlog) != 0)
    return fmt::format("cannot listen to UNIX socket ({}) [{}]", reason(errno), name);
  return guard.keep();
}

// Takes the place of what stands at `path` only at the very end, by renaming: a client finds the old socket or the new
// one, and a failure leaves the old one where it was. (A link keeps it safe meanwhile, as with HAProxy, so that a
// directory or a foreign file system is refused before anything is touched.)
Opened open_path(const Wanted& wanted, const std::string& path) {
  const std::string fresh = fmt::format("{}.{}.tmp", path, getpid());
  const std::string saved = fmt::format("{}.{}.bak", path, getpid());
  const auto failed = [&](std::string_view what, int code) {
    unlink(fresh.c_str());
    unlink(saved.c_str());
    return fmt::format("{} ({}) [{}]", what, reason(code), path);
  };
  const std::optional<SocketAddress> address = SocketAddress::unix_path(fresh, false);
  if (!address) return fmt::format("socket path too long [{}]", path);
  if (unlink(fresh.c_str()) != 0 && errno != ENOENT)
    return failed("error when trying to unlink temporary UNIX socket", errno);
  if (unlink(saved.c_str()) != 0 && errno != ENOENT)
    return failed("error when trying to unlink previous UNIX socket", errno);
  if (link(path.c_str(), saved.c_str()) != 0 && errno != ENOENT) {
    return failed("error when trying to preserve previous UNIX socket", errno);
  }
  const Descriptor descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failed("cannot create receiving socket", errno);
  Guard guard(descriptor);
  if (bind(descriptor, &address->any, address->size) != 0) return failed("cannot bind UNIX socket", errno);
  if (((wanted.unix_uid != ~0u || wanted.unix_gid != ~0u) &&
       lchown(fresh.c_str(), wanted.unix_uid, wanted.unix_gid) != 0) ||
      (wanted.unix_mode != 0 && chmod(fresh.c_str(), wanted.unix_mode) != 0)) {
    return failed("cannot change UNIX socket ownership", errno);
  }
  if (listen(descriptor, wanted.backlog) != 0) return failed("cannot listen to UNIX socket", errno);
  if (rename(fresh.c_str(), path.c_str()) != 0) return failed("cannot switch final and temporary UNIX sockets", errno);
  unlink(saved.c_str());
  return guard.keep();
}

Opened open_inherited(const Wanted& wanted, std::uint32_t number, const abi::ImageView& plan) {
  const int inherited = static_cast<int>(number);
  int type = 0, listens = 0;
  socklen_t size = sizeof type;
  if (getsockopt(inherited, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    return fmt::format("cannot use file descriptor '{}' : {}", number, reason(errno));
  }
  if (type != SOCK_STREAM) return fmt::format("socket on file descriptor '{}' is of the wrong type", number);
  const Descriptor descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0) return fmt::format("cannot use file descriptor '{}' : {}", number, reason(errno));
  Guard guard(descriptor);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  size = sizeof listens;
  getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
  if (listens == 0 && listen(descriptor, wanted.backlog) != 0) {
    return fmt::format("cannot listen to file descriptor '{}' ({})", number, reason(errno));
  }
  int family = AF_UNIX;
  size = sizeof family;
  getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size);
  if (family == AF_UNIX) return guard.keep();
  enable(descriptor, IPPROTO_TCP, TCP_NODELAY);
  if (auto failed = set_options(wanted, plan, descriptor)) return *failed;
  return guard.keep();
}

Opened open(const Wanted& wanted, const abi::ImageView& plan) {
  switch (wanted.address.family) {
    case abi::Address::Family::unix_path: return open_path(wanted, std::string(plan.text(wanted.address.path)));
    case abi::Address::Family::abstract: return open_abstract(wanted, plan.text(wanted.address.path));
    case abi::Address::Family::descriptor: return open_inherited(wanted, wanted.address.descriptor, plan);
    default: break;
  }
  Result<SocketAddress> address = socket_address(wanted.address, plan);
  if (!address) return address.error().message;
  return open_ip(wanted, *address, plan);
}

Error at_place(const abi::Place& place, const abi::ImageView& plan, std::string_view owner, const std::string& why) {
  return Error{0, fmt::format("Binding [{}:{}] for {}: {}", plan.text(place.file), place.line, owner, why)};
}

int backlog_of(std::initializer_list<std::uint32_t> wishes) {
  for (const std::uint32_t wish : wishes) {
    if (wish != 0) return static_cast<int>(std::min(wish, 0x7fff'ffffu));
  }
  return SOMAXCONN;
}

}  // namespace

Result<Descriptor> open_listener(const abi::Listener& listener, const abi::ImageView& plan, std::uint32_t maxconn,
                                 const ListenerSource& source) {
  const abi::Proxy& proxy = plan.rows(plan.root<abi::Plan>().proxies)[listener.proxy];
  const Wanted wanted{listener.address,
                      listener.unix_mode,
                      listener.unix_uid,
                      listener.unix_gid,
                      backlog_of({listener.backlog, proxy.backlog, listener.maxconn, proxy.maxconn, maxconn}),
                      listener.options,
                      source};
  Opened opened = open(wanted, plan);
  if (opened) return *opened;
  // A `listen` section, being both, is a "proxy".
  const std::string owner = fmt::format("{} {}", proxy.is_backend ? "proxy" : "frontend", plan.text(proxy.name));
  return at_place(listener.place, plan, owner, opened.error());
}

Result<Descriptor> open_command_socket(const abi::CommandSocket& socket, const abi::ImageView& plan,
                                       const ListenerSource& source) {
  const Wanted wanted{socket.address,
                      socket.unix_mode,
                      socket.unix_uid,
                      socket.unix_gid,
                      backlog_of({socket.maxconn, 10}),
                      socket.options,
                      source};
  Opened opened = open(wanted, plan);
  if (opened) return *opened;
  return at_place(socket.place, plan, "frontend GLOBAL", opened.error());
}

}  // namespace hawser::net
