// Gathers the lines of a turn and sends them at its end, without ever waiting for a reader.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>

#include "runtime/log/channel.h"
#include "runtime/log/header.h"
#include "runtime/log/logger.h"

namespace hawser::log {
namespace {

constexpr std::size_t kGatheredBytesMax = 256 * 1024;
constexpr std::size_t kGatheredLinesMax = 512;
constexpr std::size_t kKeptBytes = 32 * 1024;  // memory kept from turn to turn

// UDP needs no connection: one socket a family serves all targets.
int open_datagram_socket(int family) noexcept {
  const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
  if (descriptor >= 0) shutdown(descriptor, SHUT_RD);  // nobody reads answers
  return descriptor;
}

}  // namespace

struct Sender::Impl {
  struct Gathered {
    std::uint32_t channel = 0;
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };

  explicit Impl(Targets::Impl& targets) : targets(targets), headers(targets.pid) {
    for (const Channel& channel : targets.channels) {
      if (channel.kind != Channel::Kind::datagram) continue;
      int& own = socket_for(channel);
      if (own < 0) own = open_datagram_socket(channel.address.family());
    }
  }
  ~Impl() {
    for (const int descriptor : {socket_v4, socket_v6}) {
      if (descriptor >= 0) close(descriptor);
    }
  }

  int& socket_for(const Channel& channel) noexcept {
    return channel.address.family() == AF_INET6 ? socket_v6 : socket_v4;
  }
  void drop(std::size_t lines) noexcept {
    dropped.fetch_add(lines, std::memory_order_relaxed);
    targets.dropped.fetch_add(lines, std::memory_order_relaxed);
  }

  void gather(const Targets::Impl::Group& group, const Targets::Impl::Line& line, Level level, std::string_view message,
              const io::Now& now);
  void flush() noexcept;
  std::size_t send_datagrams(std::size_t first) noexcept;
  std::size_t write_lines(std::size_t first) noexcept;
  void send_local(const Gathered& line) noexcept;

  Targets::Impl& targets;
  HeaderWriter headers;
  int socket_v4 = -1;
  int socket_v6 = -1;
  std::string bytes;
  std::vector<Gathered> lines;
  std::atomic<std::uint64_t> dropped{0};
};

void Sender::Impl::gather(const Targets::Impl::Group& group, const Targets::Impl::Line& line, Level level,
                          std::string_view message, const io::Now& now) {
  const std::size_t at = bytes.size();
  headers.append(bytes, *line.target, level, group.tag, now);
  bytes += message;
  if (bytes.size() - at >= line.bytes_max) bytes.resize(at + line.bytes_max - 1);
  bytes += '\n';
  lines.push_back({line.channel, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes.size() - at)});
}

// Runs of lines for one kind of channel go out together; their order stays.
void Sender::Impl::flush() noexcept {
  for (std::size_t at = 0; at < lines.size();) {
    switch (targets.channels[lines[at].channel].kind) {
      case Channel::Kind::datagram: at += send_datagrams(at); break;
      case Channel::Kind::local: send_local(lines[at++]); break;
      case Channel::Kind::socket: {
        const Gathered& line = lines[at++];
        const int descriptor = targets.channels[line.channel].descriptor;
        const ssize_t sent = ::send(descriptor, bytes.data() + line.at, line.size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent != static_cast<ssize_t>(line.size)) drop(1);
        break;
      }
      case Channel::Kind::file: at += write_lines(at); break;
    }
  }
  lines.clear();
  bytes.clear();
  if (bytes.capacity() > kKeptBytes) bytes.shrink_to_fit();
}

std::size_t Sender::Impl::send_datagrams(std::size_t first) noexcept {
  constexpr std::size_t kBatch = 32;
  mmsghdr messages[kBatch] = {};
  iovec vectors[kBatch];
  const int descriptor = socket_for(targets.channels[lines[first].channel]);
  std::size_t count = 0;
  while (count < kBatch && first + count < lines.size()) {
    const Gathered& line = lines[first + count];
    Channel& channel = targets.channels[line.channel];
    if (channel.kind != Channel::Kind::datagram || socket_for(channel) != descriptor) break;
    vectors[count] = {bytes.data() + line.at, line.size};
    messages[count].msg_hdr.msg_name = &channel.address.any;
    messages[count].msg_hdr.msg_namelen = channel.address.size;
    messages[count].msg_hdr.msg_iov = &vectors[count];
    messages[count].msg_hdr.msg_iovlen = 1;
    ++count;
  }
  for (std::size_t at = 0; at < count;) {
    const int sent =
        sendmmsg(descriptor, messages + at, static_cast<unsigned>(count - at), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      drop(1);  // this one; the next may go elsewhere
      ++at;
    }
  }
  return count;
}

// A syslog daemon that restarted has a new socket under the old name.
void Sender::Impl::send_local(const Gathered& line) noexcept {
  const Channel& channel = targets.channels[line.channel];
  const char* data = bytes.data() + line.at;
  if (::send(channel.descriptor, data, line.size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return;
  const bool gone = errno == ECONNREFUSED || errno == ENOTCONN || errno == ECONNRESET || errno == EDESTADDRREQ;
  if (gone && connect_local(channel) && ::send(channel.descriptor, data, line.size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
    return;
  }
  drop(1);
}

// Whole lines at a time, as many as one atomic write takes: a pipe takes all of PIPE_BUF or nothing.
std::size_t Sender::Impl::write_lines(std::size_t first) noexcept {
  const std::uint32_t channel = lines[first].channel;
  const int descriptor = targets.channels[channel].descriptor;
  std::size_t size = lines[first].size;
  std::size_t count = 1;
  while (first + count < lines.size() && lines[first + count].channel == channel &&
         size + lines[first + count].size <= PIPE_BUF) {
    size += lines[first + count].size;
    ++count;
  }
  ssize_t written;
  do {
    written = write(descriptor, bytes.data() + lines[first].at, size);
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(size)) drop(count);
  return count;
}

Sender::Sender(Targets& targets, std::uint32_t) : impl_(std::make_unique<Impl>(targets.impl())) {}

Sender::~Sender() { impl_->flush(); }

void Sender::send(std::int32_t proxy, Level level, std::string_view message, const io::Now& now) noexcept {
  const Targets::Impl::Group& group = impl_->targets.group(proxy);
  for (const Targets::Impl::Line& line : group.lines) {
    if (static_cast<std::uint8_t>(level) <= line.target->level_max) impl_->gather(group, line, level, message, now);
  }
  if (impl_->bytes.size() > kGatheredBytesMax || impl_->lines.size() > kGatheredLinesMax) impl_->flush();
}

bool Sender::wanted(std::int32_t proxy, Level level) const noexcept {
  const Targets::Impl::Group& group = impl_->targets.group(proxy);
  return !group.lines.empty() && static_cast<std::uint8_t>(level) <= group.level_max;
}

void Sender::flush() noexcept {
  if (!impl_->lines.empty()) impl_->flush();
}

std::uint64_t Sender::dropped() const noexcept { return impl_->dropped.load(std::memory_order_relaxed); }

}  // namespace hawser::log
