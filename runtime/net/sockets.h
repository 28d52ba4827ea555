// Sockets: opening what a Plan describes, and looking names up. Everything here runs at start; sockets that are made while
// traffic flows come from the ring (Ring::open_stream).
#pragma once

#include <string_view>

#include "runtime/abi/plan.h"
#include "runtime/base/address.h"
#include "runtime/base/result.h"
#include "runtime/net/handover.h"

namespace hawser::net {

// Where listening sockets come from: those that an old process gave; else new ones. Without `reuse_port` (-dR) no other process
// may bind the same address.
struct ListenerSource {
  GivenSockets* given = nullptr;
  bool reuse_port = true;
};

// A listening socket, non-blocking and close-on-exec, that the caller owns. `fd@N` gives a duplicate of an inherited one, for
// two binds may name the same. The error is HAProxy's line: "Binding [web.cfg:10] for frontend web: cannot bind
// socket (Address already in use) for [127.0.0.1:80]". `maxconn` of the process stands in for a backlog that nothing
// else gives.
[[nodiscard]] Result<Descriptor> open_listener(const abi::Listener& listener, const abi::ImageView& plan,
                                               std::uint32_t maxconn, const ListenerSource& source = {});
[[nodiscard]] Result<Descriptor> open_command_socket(const abi::CommandSocket& socket, const abi::ImageView& plan,
                                                     const ListenerSource& source = {});

// An address of the Plan as the kernel wants it, with its name looked up if it is one. Not for `descriptor`.
[[nodiscard]] Result<SocketAddress> socket_address(const abi::Address& address, const abi::ImageView& plan);

// The first address that libc knows for a name: "could not resolve address 'nosuch.invalid'".
[[nodiscard]] Result<IpAddress> look_up(std::string_view host);

}  // namespace hawser::net
