// Listening sockets that go from an old process to a new one, so that no connection is lost between the two.
//
// Two ways: the sockets themselves are passed over a UNIX socket (-x, and a master's worker); or both processes bind the
// address, and before the old one closes, its kernel queue is let run dry (`steer_to_newest`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/address.h"
#include "runtime/base/result.h"

namespace hawser::net {

using Descriptor = int;

// Sockets that were given, until someone takes them; the rest is closed.
class GivenSockets {
 public:
  GivenSockets() = default;
  ~GivenSockets();
  GivenSockets(const GivenSockets&) = delete;
  GivenSockets& operator=(const GivenSockets&) = delete;

  void add(Descriptor descriptor) { sockets_.push_back(descriptor); }
  std::size_t count() const noexcept { return sockets_.size(); }
  // The one that is bound to exactly this address, which is the caller's from here on; -1 when there is none.
  Descriptor take(const SocketAddress& address) noexcept;

 private:
  std::vector<Descriptor> sockets_;
};

// Sends sockets over a connected UNIX socket, a few a message, and an empty message at the end. False when the peer is gone,
// or does not take them at once: it is a small amount, and nobody waits for it.
bool give_sockets(Descriptor connection, std::span<const Descriptor> sockets) noexcept;

// Asks the process that serves commands at `path` (or "abns@NAME") for its listening sockets.
Status ask_for_sockets(std::string_view path, GivenSockets& given);
// The answer, from a connection on which it was asked for.
Status take_sockets(Descriptor connection, GivenSockets& given);

// Of all sockets that listen on the address of `listener` (with SO_REUSEPORT), lets the one that was bound last get every
// new connection, until one of them is gone. False when there is no other one.
bool steer_to_newest(Descriptor listener) noexcept;
// For a socket that another process has, too, when we accept no more: the kernel wakes one acceptor a connection, and it may have
// been the one that was leaving. Where a connection still waits, another one, without a byte, wakes the others.
void wake_acceptors(Descriptor listener) noexcept;

}  // namespace hawser::net
