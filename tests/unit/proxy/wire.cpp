// The clients and origins of the tests.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

constexpr int kPatienceMs = 10'000;

bool wait_for(int descriptor, short events) {
  pollfd entry{descriptor, events, 0};
  return ::poll(&entry, 1, kPatienceMs) > 0;
}

int listen_on_loopback(std::uint16_t& port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(descriptor, 128) == 0);
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return descriptor;
}

}  // namespace

void Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(descriptor_, POLLOUT)) return;
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EAGAIN) continue;
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Wire::finish() { ::shutdown(descriptor_, SHUT_WR); }

void Wire::reset() {
  const linger now{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void Wire::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool Wire::receive() {
  char bytes[65536];
  if (!wait_for(descriptor_, POLLIN)) {
    received_ += "<nothing comes>";
    return false;
  }
  const ssize_t count = ::recv(descriptor_, bytes, sizeof bytes, 0);
  if (count < 0) received_ += "<reset>";
  if (count <= 0) return false;
  received_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string Wire::read(std::size_t bytes) {
  while (received_.size() < bytes && receive()) {
  }
  const std::string taken = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return taken;
}

std::string Wire::read_until(std::string_view end) {
  while (received_.find(end) == std::string::npos && receive()) {
  }
  const std::size_t at = received_.find(end);
  if (at == std::string::npos) return std::exchange(received_, {});
  const std::string taken = received_.substr(0, at + end.size());
  received_.erase(0, at + end.size());
  return taken;
}

std::string Wire::read_all() {
  while (receive()) {
  }
  return std::exchange(received_, {});
}

bool Wire::at_end() { return received_.empty() && !receive() && received_.empty(); }

std::size_t Wire::fill(std::size_t bytes_max) {
  const std::string block(4096, 'x');
  std::size_t sent = 0;
  while (sent < bytes_max) {
    pollfd entry{descriptor_, POLLOUT, 0};
    if (::poll(&entry, 1, 300) <= 0) return sent;
    const ssize_t count = ::send(descriptor_, block.data(), block.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return sent;
    sent += static_cast<std::size_t>(count);
  }
  return sent;
}

Origin::Origin(Script script) : script_(std::move(script)) {
  listener_ = listen_on_loopback(port_);
  acceptor_ = std::thread([this] { serve(); });
}

Origin::~Origin() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
}

void Origin::serve() {
  while (!stopping_) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int connection = ++connections_;
    threads_.emplace_back([this, descriptor, connection] {
      const int on = 1;
      ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      Wire wire(descriptor);
      script_(wire, connection);
    });
  }
}

Origin::Script answering(std::string response) {
  return [response](Wire& wire, int) {
    while (wire.read_head().find("\r\n\r\n") != std::string::npos) wire.send(response);
  };
}

std::uint16_t dead_port() {
  std::uint16_t port = 0;
  ::close(listen_on_loopback(port));
  return port;
}

Wire Running::connect() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const SocketAddress address = SocketAddress::ip(*IpAddress::parse("127.0.0.1"), port_);
  REQUIRE(::connect(descriptor, &address.any, address.size) == 0);
  return Wire(descriptor);
}

bool Running::eventually(const std::function<bool()>& condition) {
  for (int tries = 0; tries < kPatienceMs; ++tries) {
    if (condition()) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

}  // namespace hawser::proxy::test
