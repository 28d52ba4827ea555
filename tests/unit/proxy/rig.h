// A worker on real sockets, for the tests: a Plan and a Program made by hand, origins that follow a script, and
// clients that send and expect bytes.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/proxy/generation.h"
#include "runtime/proxy/worker.h"

namespace hawser::proxy::test {

// A text that a test and its origin's threads hand to each other. That one has written before the other reads is known
// by the bytes that went through the proxy, of which no memory model knows.
class SharedText {
 public:
  SharedText& operator=(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
    return *this;
  }
  std::string get() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// A connected socket on which everything waits at most some seconds.
class Wire {
 public:
  explicit Wire(int descriptor) noexcept : descriptor_(descriptor) {}
  Wire(Wire&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Wire(const Wire&) = delete;
  ~Wire() { close(); }

  void send(std::string_view bytes);
  void finish();  // sends no more
  void reset();   // closes with a reset
  void close();
  // Until that many bytes have come.
  std::string read(std::size_t bytes);
  // Until `end` has come; what follows it is kept for the next read.
  std::string read_until(std::string_view end);
  std::string read_head() { return read_until("\r\n\r\n"); }
  // Until the peer ends the stream; "<reset>" behind it when it did not end in order.
  std::string read_all();
  bool at_end();  // nothing comes any more
  // Gives up reading; the socket's buffer fills.
  std::size_t fill(std::size_t bytes_max);

 private:
  bool receive();
  int descriptor_;
  std::string received_;
};

// Serves every connection by the script, each on its own thread.
class Origin {
 public:
  using Script = std::function<void(Wire& wire, int connection)>;
  explicit Origin(Script script);
  ~Origin();
  std::uint16_t port() const noexcept { return port_; }
  int connections() const noexcept { return connections_; }

 private:
  void serve();
  Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// Answers every request with the same bytes.
Origin::Script answering(std::string response);

// A port on which nobody listens.
std::uint16_t dead_port();

// The configuration under test.
struct Setup {
  struct Server {
    std::string name;
    std::uint16_t port = 0;
    std::uint32_t weight = 1;
    bool disabled = false;
  };
  struct Proxy {
    std::string name;
    abi::Proxy row;  // names and servers are filled in
    std::vector<Server> servers;
    // Steps of entry points, by hand.
    struct Entry {
      abi::EntryPoint point;
      std::vector<abi::Step> steps;
      std::uint16_t registers = 1;
      std::vector<std::string> texts;        // constants c[0] …
      std::vector<abi::Constant> constants;  // behind the texts
    };
    std::vector<Entry> entries;
  };
  std::vector<Proxy> proxies;
  struct ReplyRow {
    abi::Reply row;
    std::string body;
  };
  std::vector<ReplyRow> replies;
  std::vector<abi::Redirect> redirects;
  std::uint32_t maxconn = 1000;
  std::uint32_t buffer_bytes = 16384;
  const char* log_path = nullptr;  // a datagram UNIX socket

  // One frontend "front" with its backend "back" (indexes 0 and 1), HTTP, with generous timeouts.
  static Setup http(std::vector<Server> servers);
  static Setup tcp(std::vector<Server> servers);
  Proxy& front() { return proxies[0]; }
  Proxy& back() { return proxies[1]; }
};

// Workers that run it on threads of their own until they are destroyed.
class Running {
 public:
  explicit Running(const Setup& setup, std::uint32_t workers = 1);
  ~Running();
  Wire connect();
  std::uint16_t port() const noexcept { return port_; }
  Generation& generation() noexcept { return *generation_; }
  Worker& worker(std::size_t at = 0) noexcept { return *workers_[at]; }
  // Waits until it holds, for some seconds.
  bool eventually(const std::function<bool()>& condition);
  void join();

 private:
  std::unique_ptr<tables::State> state_;
  std::unique_ptr<Generation> generation_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  std::uint16_t port_ = 0;
};

std::unique_ptr<Generation> make_generation(const Setup& setup, tables::State& state);

}  // namespace hawser::proxy::test
