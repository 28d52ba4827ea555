// Log lines on their way out: formatted headers, datagrams, and writers that never make traffic wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/base/result.h"
#include "runtime/io/clock.h"

namespace hawser::log {

// syslog severities (RFC 5424, 6.2.1).
enum class Level : std::uint8_t { emerg, alert, crit, err, warning, notice, info, debug };

// The targets of one Plan with their sockets, opened before chroot and setuid. Shared by the workers; each sends through its own Sender.
class Targets {
 public:
  static Result<std::unique_ptr<Targets>> open(abi::ImageView plan);
  ~Targets();
  // Messages that no sender could send, of all senders so far.
  std::uint64_t dropped() const noexcept;
  struct Impl;
  Impl& impl() noexcept { return *impl_; }

 private:
  explicit Targets(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One a worker. A message that cannot be sent at once (a full pipe, a full socket buffer) is dropped and counted.
class Sender {
 public:
  Sender(Targets& targets, std::uint32_t worker);
  ~Sender();

  // To the targets of a proxy (index of Plan::proxies), or of `global` when proxy is -1. `message` without a newline.
  void send(std::int32_t proxy, Level level, std::string_view message, const io::Now& now) noexcept;
  // Whether anybody listens, so that nobody formats in vain.
  bool wanted(std::int32_t proxy, Level level) const noexcept;
  // Messages are gathered during a turn of the ring and sent at its end.
  void flush() noexcept;
  std::uint64_t dropped() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "<PRI>Mon DD HH:MM:SS haproxy[PID]: " and the other transport formats (manual, `log`).
std::string header(const abi::LogTarget& target, Level level, std::string_view tag, const io::Now& now);

}  // namespace hawser::log
