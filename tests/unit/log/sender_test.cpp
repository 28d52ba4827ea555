// Lines on their way to sockets, pipes and daemons that come and go.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "runtime/log/logger.h"

using namespace hawser;

namespace {

constexpr io::Now kNow{0, 1'796'067'829'084'328};

abi::LogTarget raw_target() {
  abi::LogTarget target;
  target.format = abi::LogTarget::Format::raw;
  return target;
}

// A plan whose global section has one target, and its only proxy the same.
abi::Image plan_with(const std::function<void(abi::ImageBuilder&, abi::LogTarget&)>& fill) {
  abi::ImageBuilder builder;
  abi::LogTarget target = raw_target();
  fill(builder, target);
  abi::Plan plan;
  plan.global.logs = builder.rows(std::vector{target});
  abi::Proxy proxy;
  proxy.logs = plan.global.logs;
  plan.proxies = builder.rows(std::vector{proxy});
  return builder.finish(plan);
}

abi::Image plan_for_descriptor(int descriptor, std::uint32_t length_max = 1024) {
  return plan_with([&](abi::ImageBuilder&, abi::LogTarget& target) {
    target.kind = abi::LogTarget::Kind::descriptor;
    target.address.family = abi::Address::Family::descriptor;
    target.address.descriptor = static_cast<std::uint32_t>(descriptor);
    target.length_max = length_max;
  });
}

std::string read_some(int descriptor, std::size_t most = 65536) {
  std::string text(most, '\0');
  const ssize_t size = read(descriptor, text.data(), most);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2];
};

struct LocalDaemon {
  explicit LocalDaemon(const std::string& path) {
    std::filesystem::remove(path);
    descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const SocketAddress address = *SocketAddress::unix_path(path, false);
    REQUIRE(bind(descriptor, &address.any, address.size) == 0);
  }
  ~LocalDaemon() { close(descriptor); }
  int descriptor;
};

}  // namespace

TEST_CASE("lines reach a pipe in order, each with its newline") {
  Pipe pipe;
  const abi::Image plan = plan_for_descriptor(pipe.ends[1]);
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  sender.send(-1, log::Level::info, "one", kNow);
  sender.send(0, log::Level::info, "two", kNow);
  sender.flush();
  CHECK(read_some(pipe.ends[0]) == "one\ntwo\n");
}

TEST_CASE("a line is cut to the length that its target allows") {
  Pipe pipe;
  const abi::Image plan = plan_for_descriptor(pipe.ends[1], 80);
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  sender.send(-1, log::Level::info, std::string(200, 'x'), kNow);
  sender.flush();
  CHECK(read_some(pipe.ends[0]) == std::string(79, 'x') + "\n");
}

TEST_CASE("a full pipe costs lines, not time, and whole lines only") {
  Pipe pipe;
  const int flags = fcntl(pipe.ends[1], F_GETFL);
  const abi::Image plan = plan_for_descriptor(pipe.ends[1]);
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  constexpr int kLines = 2000;
  for (int i = 0; i < kLines; ++i) sender.send(-1, log::Level::info, fmt::format("{:0500}", i), kNow);
  sender.flush();
  CHECK(sender.dropped() > 0);
  fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK);
  std::string all;
  for (std::string some; !(some = read_some(pipe.ends[0])).empty();) all += some;
  CHECK(all.size() % 501 == 0);
  CHECK(all.size() / 501 + sender.dropped() == kLines);
  CHECK(fcntl(pipe.ends[1], F_GETFL) == flags);  // those who share the pipe still block
}

TEST_CASE("a message that no target wants is neither wanted nor sent") {
  Pipe pipe;
  const abi::Image plan = plan_with([&](abi::ImageBuilder&, abi::LogTarget& target) {
    target.kind = abi::LogTarget::Kind::descriptor;
    target.address.descriptor = static_cast<std::uint32_t>(pipe.ends[1]);
    target.level_max = static_cast<std::uint8_t>(log::Level::notice);
  });
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  CHECK_FALSE(sender.wanted(0, log::Level::info));
  CHECK(sender.wanted(0, log::Level::notice));
  sender.send(0, log::Level::info, "no", kNow);
  sender.send(0, log::Level::alert, "yes", kNow);
  sender.flush();
  CHECK(read_some(pipe.ends[0]) == "yes\n");
}

TEST_CASE("UDP targets receive one datagram a message") {
  const int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  SocketAddress address = SocketAddress::ip(IpAddress::v4(INADDR_LOOPBACK), 0);
  REQUIRE(bind(receiver, &address.any, address.size) == 0);
  REQUIRE(getsockname(receiver, &address.any, &address.size) == 0);
  const abi::Image plan = plan_with([&](abi::ImageBuilder&, abi::LogTarget& target) {
    target.address.family = abi::Address::Family::v4;
    std::memcpy(target.address.ip, address.ip().bytes.data(), 4);
    target.address.port = address.port();
  });
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  for (int i = 0; i < 40; ++i) sender.send(-1, log::Level::info, std::to_string(i), kNow);
  sender.flush();
  for (int i = 0; i < 40; ++i) CHECK(read_some(receiver) == fmt::format("{}\n", i));
  CHECK(sender.dropped() == 0);
  close(receiver);
}

TEST_CASE("a local daemon may start late and be restarted") {
  char directory[] = "/tmp/hawser-log-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  const std::string path = fmt::format("{}/log", directory);
  const abi::Image plan = plan_with([&](abi::ImageBuilder& builder, abi::LogTarget& target) {
    target.address.family = abi::Address::Family::unix_path;
    target.address.path = builder.text(path);
  });
  auto targets = log::Targets::open(plan.view());
  REQUIRE(targets);
  log::Sender sender(**targets, 0);
  const auto send = [&](std::string_view text) {
    sender.send(-1, log::Level::info, text, kNow);
    sender.flush();
  };
  send("nobody is there");
  CHECK(sender.dropped() == 1);
  {
    LocalDaemon daemon(path);
    send("first");
    CHECK(read_some(daemon.descriptor) == "first\n");
  }
  {
    LocalDaemon daemon(path);
    send("second");
    CHECK(read_some(daemon.descriptor) == "second\n");
  }
  CHECK(sender.dropped() == 1);
  std::filesystem::remove_all(directory);
}
