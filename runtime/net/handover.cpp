#include "runtime/net/handover.h"

#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace hawser::net {
namespace {

constexpr std::size_t kSocketsAtOnce = 64;  // the kernel takes 253 a message
constexpr int kAnswerSeconds = 10;          // for an old process that does not answer

std::optional<SocketAddress> address_of(Descriptor descriptor) noexcept {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(descriptor, &address.any, &address.size) != 0) return std::nullopt;
  return address;
}

bool same(const SocketAddress& one, const SocketAddress& other) noexcept {
  if (one.family() != other.family()) return false;
  if (one.family() == AF_UNIX) return one.size == other.size && std::memcmp(&one.any, &other.any, one.size) == 0;
  return one.ip() == other.ip() && one.port() == other.port();
}

std::string reason(int code) { return std::generic_category().message(code); }

union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(kSocketsAtOnce * sizeof(int))];
};

// One message: `count` sockets, which may be none.
bool send_some(Descriptor connection, std::span<const Descriptor> sockets) noexcept {
  char count = static_cast<char>(sockets.size());
  iovec vector{&count, 1};
  Control control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (!sockets.empty()) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sockets.size_bytes());
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sockets.size_bytes());
    std::memcpy(CMSG_DATA(part), sockets.data(), sockets.size_bytes());
  }
  return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

// How many sockets listen on exactly this address; 0 when the kernel does not tell.
std::size_t count_listening(const SocketAddress& address) noexcept {
  const int asked = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (asked < 0) return 0;
  struct {
    nlmsghdr header;
    inet_diag_req_v2 request;
  } message{};
  message.header.nlmsg_len = sizeof message;
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = static_cast<std::uint8_t>(address.family());
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_states = 1U << TCP_LISTEN;
  std::size_t count = 0;
  bool more = send(asked, &message, sizeof message, 0) == sizeof message;
  alignas(nlmsghdr) char answer[16384];
  while (more) {
    const ssize_t size = recv(asked, answer, sizeof answer, 0);
    if (size <= 0) break;
    auto left = static_cast<unsigned>(size);
    for (const auto* row = reinterpret_cast<const nlmsghdr*>(answer); NLMSG_OK(row, left);
         row = NLMSG_NEXT(row, left)) {
      if (row->nlmsg_type == NLMSG_DONE || row->nlmsg_type == NLMSG_ERROR) {
        more = false;
        break;
      }
      const auto& found = *static_cast<const inet_diag_msg*>(NLMSG_DATA(row));
      IpAddress ip;
      ip.family = found.idiag_family == AF_INET ? IpAddress::Family::v4 : IpAddress::Family::v6;
      std::memcpy(ip.bytes.data(), found.id.idiag_src, found.idiag_family == AF_INET ? 4 : 16);
      if (ip == address.ip() && ntohs(found.id.idiag_sport) == address.port()) ++count;
    }
  }
  ::close(asked);
  return count;
}

}  // namespace

GivenSockets::~GivenSockets() {
  for (const Descriptor descriptor : sockets_) ::close(descriptor);
}

Descriptor GivenSockets::take(const SocketAddress& address) noexcept {
  for (std::size_t at = 0; at < sockets_.size(); ++at) {
    const std::optional<SocketAddress> bound = address_of(sockets_[at]);
    if (!bound || !same(*bound, address)) continue;
    const Descriptor taken = sockets_[at];
    sockets_.erase(sockets_.begin() + static_cast<std::ptrdiff_t>(at));
    return taken;
  }
  return -1;
}

bool give_sockets(Descriptor connection, std::span<const Descriptor> sockets) noexcept {
  while (!sockets.empty()) {
    const std::size_t some = std::min(sockets.size(), kSocketsAtOnce);
    if (!send_some(connection, sockets.first(some))) return false;
    sockets = sockets.subspan(some);
  }
  return send_some(connection, {});
}

Status take_sockets(Descriptor connection, GivenSockets& given) {
  for (;;) {
    char count = 0;
    iovec vector{&count, 1};
    Control control{};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const ssize_t size = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Error{errno, reason(errno)};
    std::size_t came = 0;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
      if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
      for (std::size_t at = 0; at < (part->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++at, ++came) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(part) + at * sizeof(int), sizeof descriptor);
        given.add(descriptor);
      }
    }
    if (size == 0) return Error{EPROTO, "the answer ends too early"};
    if (came != static_cast<std::size_t>(count)) return Error{EPROTO, "the answer is none that hawser gives"};
    if (count == 0) return Success();
  }
}

Status ask_for_sockets(std::string_view path, GivenSockets& given) {
  constexpr std::string_view kAbstract = "abns@";
  constexpr std::string_view kPlain = "unix@";
  const bool abstract = path.starts_with(kAbstract);
  if (abstract) path.remove_prefix(kAbstract.size());
  if (path.starts_with(kPlain)) path.remove_prefix(kPlain.size());
  const std::optional<SocketAddress> address = SocketAddress::unix_path(path, abstract);
  if (!address) return Error{ENAMETOOLONG, reason(ENAMETOOLONG)};
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return Error{errno, reason(errno)};
  const timeval patience{kAnswerSeconds, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  constexpr std::string_view kAsk = "_getsocks\n";
  Status taken = Success();
  if (connect(connection, &address->any, address->size) != 0 ||
      send(connection, kAsk.data(), kAsk.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kAsk.size())) {
    taken = Error{errno, reason(errno)};
  } else {
    taken = take_sockets(connection, given);
  }
  ::close(connection);
  return taken;
}

// A socket that is bound later stands behind the others of its group (and takes the place of one that goes): the index of the
// newest is their number less one. Where it is none any longer, the kernel chooses as without a program.
bool steer_to_newest(Descriptor listener) noexcept {
  const std::optional<SocketAddress> address = address_of(listener);
  if (!address || address->family() == AF_UNIX) return false;
  const std::size_t count = count_listening(*address);
  if (count < 2) return false;
  sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, static_cast<std::uint32_t>(count - 1)}};
  const sock_fprog program{1, code};
  setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program);
  return true;
}

void wake_acceptors(Descriptor listener) noexcept {
  pollfd waiting{listener, POLLIN, 0};
  if (poll(&waiting, 1, 0) != 1) return;
  const std::optional<SocketAddress> address = address_of(listener);
  if (!address) return;
  const int client = socket(address->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client < 0) return;
  connect(client, &address->any, address->size);
  ::close(client);
}

}  // namespace hawser::net
