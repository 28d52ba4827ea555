// Where log lines go: the distinct sockets and descriptors behind the `log` lines of a Plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/base/address.h"
#include "runtime/log/logger.h"

namespace hawser::log {

// Invariant: `descriptor` never blocks a writer, except for `file`, where the kernel knows no other way.
struct Channel {
  enum class Kind : std::uint8_t {
    datagram,  // UDP: the sender uses a socket of its own
    local,     // a connected UNIX datagram socket, made again when the other side went away
    socket,    // an inherited socket
    file,      // a pipe, a terminal, a file
  };
  Kind kind = Kind::datagram;
  SocketAddress address;  // of datagram and local
  int descriptor = -1;    // of all but datagram
  bool owned = false;     // closed with the targets
};

struct Targets::Impl {
  // One `log` line as seen from a proxy.
  struct Line {
    const abi::LogTarget* target = nullptr;
    std::uint32_t channel = 0;
    std::size_t bytes_max = 0;
  };
  // All lines of one proxy, or of `global`.
  struct Group {
    std::string tag;
    std::vector<Line> lines;
    std::uint8_t level_max = 0;  // the least important level that any line wants
  };

  ~Impl();

  abi::ImageView plan;
  std::uint32_t pid = 0;
  std::vector<Channel> channels;
  std::atomic<std::uint64_t> dropped{0};
  std::vector<Group> groups;  // [0] is that of `global`, [1 + n] that of proxy n

  const Group& group(std::int32_t proxy) const noexcept { return groups[static_cast<std::size_t>(proxy + 1)]; }
};

// Asks the kernel to connect a UNIX datagram socket (again).
bool connect_local(const Channel& channel) noexcept;

}  // namespace hawser::log
