// What the first message of a TLS handshake says.
#include <doctest/doctest.h>

#include <string>

#include "runtime/kernels/tls_hello.h"

namespace hawser::kernels {
namespace {

std::string counted(std::size_t size, const std::string& block) {
  std::string text;
  for (std::size_t at = size; at-- > 0;) text += static_cast<char>(block.size() >> (8 * at));
  return text + block;
}

std::string extension(char type, const std::string& block) { return std::string(1, '\0') + type + counted(2, block); }

std::string hello(const std::string& extensions) {
  const std::string body = "\x03\x03" + std::string(32, 'r') + counted(1, "session") +
                           counted(2, std::string("\x13\x01", 2)) + counted(1, std::string(1, '\0')) +
                           counted(2, extensions);
  return "\x16\x03\x01" + counted(2, "\x01" + counted(3, body));
}

std::string named(const std::string& name) { return extension(0, counted(2, std::string(1, '\0') + counted(2, name))); }

}  // namespace

TEST_CASE("a ClientHello names its server, wherever the extension stands") {
  const std::string bytes = hello(extension(10, "xx") + named("www.example") + extension(11, ""));
  const TlsHello read = read_tls_hello(bytes);
  CHECK(read.read == TlsHello::Read::complete);
  CHECK(read.type == TlsHello::kClientHello);
  CHECK(read.version_major == 3);
  CHECK(read.version_minor == 3);
  CHECK(read.has_server_name);
  CHECK(read.server_name == "www.example");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(read_tls_hello(bytes.substr(0, size)).read == TlsHello::Read::need_more);
  }
}

TEST_CASE("a ClientHello without a name, or with a damaged one, has none") {
  CHECK(!read_tls_hello(hello("")).has_server_name);
  CHECK(!read_tls_hello(hello(extension(10, "x"))).has_server_name);
  std::string cut = hello(named("www.example"));
  cut[cut.find("www.example") - 1] = 99;  // longer than what holds it
  CHECK(read_tls_hello(cut).read == TlsHello::Read::complete);
  CHECK(!read_tls_hello(cut).has_server_name);
}

TEST_CASE("what is no TLS is known at its first bytes") {
  CHECK(read_tls_hello("GET / HTTP/1.1\r\n").read == TlsHello::Read::none);
  CHECK(read_tls_hello("G").read == TlsHello::Read::none);
  CHECK(read_tls_hello("\x16\x02").read == TlsHello::Read::none);
  CHECK(read_tls_hello("").read == TlsHello::Read::need_more);
  CHECK(read_tls_hello(std::string("\x16\x03\x01\xff\xff\x01", 6)).read == TlsHello::Read::none);
}

}  // namespace hawser::kernels
