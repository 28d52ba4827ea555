// Listening sockets of a Plan: what they are when they open, and what is said when they do not.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/net/sockets.h"

using namespace hawser;
using namespace hawser::net;

namespace {

// A plan of one frontend and one listener.
struct Setting {
  abi::ImageBuilder builder;
  abi::Listener listener;
  abi::Image image;

  Result<int> open(bool is_backend = false) {
    abi::Plan plan;
    abi::Proxy proxy;
    proxy.name = builder.text("web");
    proxy.is_frontend = true;
    proxy.is_backend = is_backend;
    listener.place = {builder.text("web.cfg"), 10};
    plan.proxies = builder.rows(std::vector<abi::Proxy>{proxy});
    plan.listeners = builder.rows(std::vector<abi::Listener>{listener});
    image = builder.finish(plan);
    return open_listener(image.view().rows(image.view().root<abi::Plan>().listeners)[0], image.view(), 100);
  }
};

Setting at(abi::Address::Family family, const char* ip, std::uint16_t port) {
  Setting setting;
  setting.listener.address.family = family;
  setting.listener.address.port = port;
  const auto parsed = IpAddress::parse(ip);
  REQUIRE(parsed);
  std::memcpy(setting.listener.address.ip, parsed->bytes.data(), 16);
  return setting;
}

Setting at_path(abi::Address::Family family, const std::string& path) {
  Setting setting;
  setting.listener.address.family = family;
  setting.listener.address.path = setting.builder.text(path);
  return setting;
}

struct Folder {
  Folder() { REQUIRE(mkdtemp(name) != nullptr); }
  ~Folder() { std::filesystem::remove_all(name); }
  std::string operator/(const char* file) const { return std::string(name) + "/" + file; }
  char name[32] = "/tmp/hawser-net-XXXXXX";
};

int option(int descriptor, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  CHECK(getsockopt(descriptor, level, name, &value, &size) == 0);
  return value;
}

SocketAddress local_address(int descriptor) {
  SocketAddress address;
  socklen_t size = sizeof address.storage;
  REQUIRE(getsockname(descriptor, &address.any, &size) == 0);
  address.size = size;
  return address;
}

// A connection to `address`; -errno.
int connect_to(const SocketAddress& address) {
  const int descriptor = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(descriptor, &address.any, address.size) == 0) return descriptor;
  const int failure = errno;
  close(descriptor);
  return -failure;
}

}  // namespace

TEST_CASE("a TCP listener is non-blocking, close-on-exec, shared by successors, and what it accepts has no delay") {
  Result<int> opened = at(abi::Address::Family::v4, "127.0.0.1", 0).open();
  REQUIRE(opened.ok());
  CHECK((fcntl(*opened, F_GETFL) & O_NONBLOCK) != 0);
  CHECK((fcntl(*opened, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(option(*opened, SOL_SOCKET, SO_REUSEPORT) == 1);
  CHECK(option(*opened, SOL_SOCKET, SO_ACCEPTCONN) == 1);
  const int client = connect_to(local_address(*opened));
  REQUIRE(client >= 0);
  const int accepted = accept(*opened, nullptr, nullptr);
  REQUIRE(accepted >= 0);
  CHECK(option(accepted, IPPROTO_TCP, TCP_NODELAY) == 1);
  close(client);
  close(accepted);
  close(*opened);
}

TEST_CASE("a listener on all of IPv6 takes IPv4 clients too, as haproxy's does") {
  Result<int> opened = at(abi::Address::Family::v6, "::", 0).open();
  if (!opened.ok()) return;  // a machine without IPv6
  CHECK(option(*opened, IPPROTO_IPV6, IPV6_V6ONLY) == 0);
  const int client = connect_to(SocketAddress::ip(*IpAddress::parse("127.0.0.1"), local_address(*opened).port()));
  CHECK(client >= 0);
  close(client);
  close(*opened);
}

TEST_CASE("a port in use is reported with haproxy's words") {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  const SocketAddress any = SocketAddress::ip(*IpAddress::parse("127.0.0.1"), 0);
  REQUIRE(bind(other, &any.any, any.size) == 0);
  REQUIRE(listen(other, 1) == 0);
  const std::uint16_t port = local_address(other).port();
  Result<int> opened = at(abi::Address::Family::v4, "127.0.0.1", port).open();
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message ==
        "Binding [web.cfg:10] for frontend web: cannot bind socket (Address already in use) for [127.0.0.1:" +
            std::to_string(port) + "]");
  close(other);
}

TEST_CASE("an address of another machine is reported without brackets, and a listen section is a proxy") {
  Result<int> v4 = at(abi::Address::Family::v4, "192.0.2.55", 81).open(true);
  REQUIRE_FALSE(v4.ok());
  CHECK(v4.error().message ==
        "Binding [web.cfg:10] for proxy web: cannot bind socket (Cannot assign requested address) for [192.0.2.55:81]");
  Result<int> v6 = at(abi::Address::Family::v6, "2001:db8::1", 18080).open();
  REQUIRE_FALSE(v6.ok());
  if (socket(AF_INET6, SOCK_STREAM, 0) >= 0) {
    CHECK(v6.error().message ==
          "Binding [web.cfg:10] for frontend web: cannot bind socket (Cannot assign requested address) for "
          "[2001:db8::1:18080]");
  }
}

TEST_CASE("a UNIX listener takes the place of the file before it, with its mode, and leaves no other file") {
  Folder folder;
  const std::string path = folder / "web.sock";
  std::ofstream(path) << "old";
  Setting setting = at_path(abi::Address::Family::unix_path, path);
  setting.listener.unix_mode = 0620;
  Result<int> opened = setting.open();
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().message));
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK(S_ISSOCK(status.st_mode));
  CHECK((status.st_mode & 0777) == 0620);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.name)) ++files;
  CHECK(files == 1);
  const int client = connect_to(*SocketAddress::unix_path(path, false));
  CHECK(client >= 0);
  close(client);
  close(*opened);
}

TEST_CASE("a UNIX listener that fails leaves what stood there as it was") {
  Folder folder;
  const std::string directory = folder / "taken";
  std::filesystem::create_directory(directory);
  Result<int> over_directory = at_path(abi::Address::Family::unix_path, directory).open();
  REQUIRE_FALSE(over_directory.ok());
  CHECK(over_directory.error().message ==
        "Binding [web.cfg:10] for frontend web: error when trying to preserve previous UNIX socket (Operation not "
        "permitted) [" +
            directory + "]");
  CHECK(std::filesystem::is_directory(directory));
  const std::string nowhere = folder / "none/web.sock";
  Result<int> no_folder = at_path(abi::Address::Family::unix_path, nowhere).open();
  REQUIRE_FALSE(no_folder.ok());
  CHECK(no_folder.error().message ==
        "Binding [web.cfg:10] for frontend web: cannot bind UNIX socket (No such file or directory) [" + nowhere + "]");
}

TEST_CASE("an abstract listener is found under its padded name") {
  const std::string name = "hawser-test-" + std::to_string(getpid());
  Result<int> opened = at_path(abi::Address::Family::abstract, name).open();
  REQUIRE(opened.ok());
  const int client = connect_to(*SocketAddress::unix_path(name, true));
  CHECK(client >= 0);
  close(client);
  close(*opened);
}

TEST_CASE("an inherited socket is duplicated, listens afterwards, and two listeners may share it") {
  const int inherited = socket(AF_INET, SOCK_STREAM, 0);
  const SocketAddress any = SocketAddress::ip(*IpAddress::parse("127.0.0.1"), 0);
  REQUIRE(bind(inherited, &any.any, any.size) == 0);
  Setting first, second;
  first.listener.address.family = second.listener.address.family = abi::Address::Family::descriptor;
  first.listener.address.descriptor = second.listener.address.descriptor = static_cast<std::uint32_t>(inherited);
  Result<int> one = first.open(), two = second.open();
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  CHECK(*one != *two);
  CHECK(option(inherited, SOL_SOCKET, SO_ACCEPTCONN) == 1);
  close(*one);
  close(*two);
  close(inherited);
}

TEST_CASE("a descriptor that is no stream socket is refused") {
  const auto refused = [](int descriptor) {
    Setting setting;
    setting.listener.address.family = abi::Address::Family::descriptor;
    setting.listener.address.descriptor = static_cast<std::uint32_t>(descriptor);
    Result<int> opened = setting.open();
    REQUIRE_FALSE(opened.ok());
    return opened.error().message.substr(std::strlen("Binding [web.cfg:10] for frontend web: "));
  };
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(refused(file) == "cannot use file descriptor '" + std::to_string(file) + "' : Socket operation on non-socket");
  CHECK(refused(datagrams) == "socket on file descriptor '" + std::to_string(datagrams) + "' is of the wrong type");
  close(file);
  close(datagrams);
}

TEST_CASE("a command socket's failure speaks of the frontend GLOBAL") {
  abi::ImageBuilder builder;
  abi::CommandSocket command;
  command.address.family = abi::Address::Family::unix_path;
  command.address.path = builder.text("/nonexistent/stats.sock");
  command.place = {builder.text("web.cfg"), 2};
  const abi::Image image = builder.finish(abi::Plan{});
  Result<int> opened = open_command_socket(command, image.view());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message ==
        "Binding [web.cfg:2] for frontend GLOBAL: cannot bind UNIX socket (No such file or directory) "
        "[/nonexistent/stats.sock]");
}

TEST_CASE("names are looked up through libc, numbers are not, and an unknown name is an error") {
  Result<IpAddress> number = look_up("2001:db8::7");
  REQUIRE(number.ok());
  CHECK(number->to_string() == "2001:db8::7");
  Result<IpAddress> local = look_up("localhost");
  REQUIRE(local.ok());
  CHECK((local->to_string() == "127.0.0.1" || local->to_string() == "::1"));
  Result<IpAddress> unknown = look_up("no-such-host.invalid");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message == "could not resolve address 'no-such-host.invalid'");
}
