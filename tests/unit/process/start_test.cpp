// What stands between the command line and the first connection.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "runtime/process/limits.h"
#include "runtime/process/listeners.h"
#include "runtime/process/loader.h"
#include "runtime/process/prepare.h"
#include "runtime/process/run.h"

using namespace hawser;
using namespace hawser::process;

namespace {

// Messages into a pipe, and what was said.
struct Heard {
  Heard() {
    REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    messages.set_descriptor(ends[1]);
    messages.set_pid(7);
  }
  ~Heard() {
    close(ends[0]);
    close(ends[1]);
  }
  std::string text() const {
    char buffer[8192];
    const ssize_t size = read(ends[0], buffer, sizeof buffer);
    return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
  }
  int ends[2];
  Messages messages{false};
};

abi::Image plan_with_server(const char* host) {
  abi::ImageBuilder builder;
  abi::Server server;
  server.name = builder.text("s1");
  server.host = builder.text(host);
  server.place = {builder.text("web.cfg"), 10};
  abi::Proxy proxy;
  proxy.name = builder.text("b");
  proxy.is_backend = true;
  proxy.servers = builder.rows(std::vector{server});
  abi::Plan plan;
  plan.proxies = builder.rows(std::vector{proxy});
  return builder.finish(plan);
}

}  // namespace

TEST_CASE("the first message is preceded by two notices, and only the first") {
  Heard heard;
  heard.messages.alert("one");
  heard.messages.warning("two");
  const std::string text = heard.text();
  CHECK(text.starts_with("[NOTICE]   (7) : hawser version is "));
  CHECK(text.find("\n[NOTICE]   (7) : path to executable is /") != std::string::npos);
  CHECK(text.ends_with("\n[ALERT]    (7) : one\n[WARNING]  (7) : two\n"));
}

TEST_CASE("a quiet process says nothing") {
  Heard heard;
  Messages quiet(true);
  quiet.set_descriptor(heard.ends[1]);
  quiet.alert("one");
  CHECK(heard.text().empty());
}

// Measured with haproxy 2.6.12 and a hard limit of 20000 descriptors.
TEST_CASE("an unset maxconn is reckoned from the descriptors as haproxy reckons it") {
  CHECK(maxconn_for(20000, reserved_descriptors(1, 1, 0)) == 9993);
  CHECK(maxconn_for(20000, reserved_descriptors(2, 1, 0)) == 9991);
  CHECK(maxconn_for(20000, reserved_descriptors(4, 1, 0)) == 9988);
  CHECK(maxconn_for(20000, reserved_descriptors(8, 1, 0)) == 9982);
  CHECK(maxconn_for(20000, reserved_descriptors(1, 50, 0)) == 9968);
  CHECK(maxconn_for(20000, reserved_descriptors(1, 2, 10)) == 9987);
  CHECK(maxconn_for(100, reserved_descriptors(1, 1, 0)) == 100);
}

TEST_CASE("more descriptors than the system grants are refused with haproxy's words") {
  abi::ImageBuilder builder;
  abi::Plan plan;
  plan.global.maxconn = 500'000'000;
  const abi::Image image = builder.finish(plan);
  Heard heard;
  Limits limits;
  CHECK_FALSE(settle_limits(image.view(), 1, 0, "haproxy", false, heard.messages, limits));
  CHECK(heard.text().find("[ALERT]    (7) : [haproxy.main()] Cannot raise FD limit to 1000000013, limit is ") !=
        std::string::npos);
}

TEST_CASE("a server name that nobody knows is fatal, or, with -dr, disables the server") {
  const abi::Image plan = plan_with_server("nosuch.invalid");
  Heard heard;
  CHECK_FALSE(prepare(plan.view(), false, heard.messages));
  CHECK(heard.text().ends_with(
      "[ALERT]    (7) : config : [web.cfg:10] : 'server b/s1' : could not resolve address 'nosuch.invalid'.\n"
      "[ALERT]    (7) : config : Failed to initialize server(s) addr.\n"));
  const auto prepared = prepare(plan.view(), true, heard.messages);
  REQUIRE(prepared);
  CHECK(prepared->warned);
  REQUIRE(prepared->addresses.size() == 1);
  CHECK(prepared->addresses[0].family == IpAddress::Family::none);
  CHECK(heard.text() ==
        "[WARNING]  (7) : config : [web.cfg:10] : 'server b/s1' : could not resolve address 'nosuch.invalid', "
        "disabling server.\n");
}

TEST_CASE("a plan without its program is refused, not checked as valid") {
  const Compiler compiler{.load =
                              [](const CommandLine&, const std::vector<std::string>&, Messages&) {
                                Loaded loaded;
                                loaded.plan = plan_with_server("192.0.2.1");
                                return loaded;
                              },
                          .condition = {},
                          .unsupported_words = {},
                          .explain = {}};
  CHECK(run({"hawser", "-q", "-c", "-f", "/dev/null"}, compiler) == 1);
}

TEST_CASE("a directory stands for its visible .cfg files in the order of their bytes") {
  char directory[] = "/tmp/hawser-paths-XXXXXX";
  REQUIRE(mkdtemp(directory) != nullptr);
  const std::filesystem::path root(directory);
  for (const char* name : {"b.cfg", "a.cfg", "B.cfg", ".hidden.cfg", "notes.txt"}) std::ofstream(root / name) << "\n";
  std::filesystem::create_directory(root / "sub.cfg");
  Heard heard;
  const auto files = expand_paths({directory, "/dev/null"}, heard.messages);
  REQUIRE(files);
  const std::string base = std::string(directory) + "/";
  CHECK(*files == std::vector<std::string>{base + "B.cfg", base + "a.cfg", base + "b.cfg", "/dev/null"});
  CHECK_FALSE(expand_paths({base + "nosuch"}, heard.messages));
  CHECK(heard.text().find("config : Cannot open configuration file/directory " + base +
                          "nosuch : No such file or directory") != std::string::npos);
  std::filesystem::remove_all(root);
}

TEST_CASE("listeners of disabled proxies do not count, command sockets do") {
  abi::ImageBuilder builder;
  abi::Proxy proxies[2];
  proxies[0].is_frontend = proxies[1].is_frontend = true;
  proxies[1].disabled = true;
  abi::Listener listeners[3];
  listeners[1].proxy = listeners[2].proxy = 1;
  abi::Plan plan;
  plan.proxies = builder.rows(std::span<const abi::Proxy>(proxies));
  plan.listeners = builder.rows(std::span<const abi::Listener>(listeners));
  plan.global.command_sockets = builder.rows(std::vector{abi::CommandSocket{}});
  const abi::Image image = builder.finish(plan);
  CHECK(count_listeners(image.view()) == 2);
}
