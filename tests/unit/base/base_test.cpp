// The values that every part builds on: addresses, results, arenas, ids.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "runtime/base/address.h"
#include "runtime/base/arena.h"
#include "runtime/base/file.h"
#include "runtime/base/id.h"
#include "runtime/base/result.h"

using namespace hawser;

TEST_CASE("an address is parsed from its numeric form only, and printed as it was") {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "::ffff:192.0.2.1"}) {
    const auto address = IpAddress::parse(text);
    REQUIRE(address);
    CHECK(address->to_string() == text);
  }
  for (const char* text : {"", "192.0.2", "192.0.2.256", "[::1]", "fe80::1%eth0", "localhost", "1.2.3.4 "}) {
    CAPTURE(text);
    CHECK_FALSE(IpAddress::parse(text));
  }
  CHECK_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)));
  CHECK(IpAddress::v4(0xc0000201).to_string() == "192.0.2.1");
  CHECK(IpAddress::parse("192.0.2.1")->v4_host_order() == 0xc0000201);
}

TEST_CASE("a socket address keeps address and port, and prints as users write it") {
  const SocketAddress v6 = SocketAddress::ip(*IpAddress::parse("2001:db8::1"), 443);
  CHECK(v6.to_string() == "[2001:db8::1]:443");
  CHECK(v6.ip() == *IpAddress::parse("2001:db8::1"));
  CHECK(v6.port() == 443);
  CHECK(SocketAddress().family() == AF_UNSPEC);
  CHECK(SocketAddress::unix_path("/run/x.sock", false)->to_string() == "/run/x.sock");
}

TEST_CASE("an abstract name fills the whole of sun_path with zeros, and the longest name fits") {
  const auto named = SocketAddress::unix_path("hz", true);
  REQUIRE(named);
  CHECK(named->size == sizeof(sockaddr_un));
  CHECK(std::memcmp(named->local.sun_path, "\0hz\0\0", 5) == 0);
  CHECK(named->to_string() == "abns@hz");
  CHECK(SocketAddress::unix_path(std::string(107, 'x'), true));
  CHECK(SocketAddress::unix_path(std::string(107, 'x'), false));
  CHECK_FALSE(SocketAddress::unix_path(std::string(108, 'x'), false));
  CHECK_FALSE(SocketAddress::unix_path("", false));
}

TEST_CASE("an arena hands out aligned bytes that stay where they are until it is reset, and keeps one block") {
  Arena arena(256);
  const std::string_view first = arena.copy("first");
  char* aligned = arena.allocate(8, 16);
  CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 16 == 0);
  const std::string_view large = arena.copy(std::string(1000, 'l'));
  const std::string_view small = arena.copy("small");
  CHECK(first == "first");
  CHECK(large == std::string(1000, 'l'));
  CHECK(small == "small");
  CHECK(arena.bytes_held() >= 1256);
  arena.reset();
  CHECK(arena.bytes_held() == 256);
  arena.allocate(200);
  CHECK(arena.bytes_held() == 256);
  arena.release();
  CHECK(arena.bytes_held() == 0);
}

TEST_CASE("a result is a value or an error with the system's text") {
  const Result<int> good = 7;
  CHECK(good.ok());
  CHECK(*good == 7);
  const Result<int> bad = Error::from_errno("bind", EADDRINUSE);
  CHECK_FALSE(bad.ok());
  CHECK(bad.error().code == EADDRINUSE);
  CHECK(bad.error().message == "bind: Address already in use");
  CHECK(bad.value_or(3) == 3);
}

TEST_CASE("a store's ids stay good while it grows, and a default-made id is none") {
  using ThingId = Id<struct ThingTag>;
  Store<std::string, ThingId> store;
  const ThingId first = store.add("first");
  for (int i = 0; i < 100; ++i) store.add("more");
  CHECK(store[first] == "first");
  CHECK_FALSE(ThingId().valid());
  CHECK(first.valid());
}

TEST_CASE("a file without an end is refused, and so are a folder and what is not there") {
  CHECK(read_whole_file("/dev/zero", 100'000).error().code == EFBIG);
  CHECK(read_whole_file("/dev").error().code == EISDIR);
  const auto missing = read_whole_file("/dev/hawser-nothing");
  CHECK(missing.error().message == "/dev/hawser-nothing: No such file or directory");
  CHECK(read_whole_file("/dev/null").value_or("unread").empty());
}
