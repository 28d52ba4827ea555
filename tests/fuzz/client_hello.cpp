// The first bytes of a TLS session, from anybody. Holds: what is found lies within the bytes; more bytes change nothing that
// was known; every prefix of what is complete asks for more.
#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/kernels/tls_hello.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using hawser::kernels::read_tls_hello;
  using hawser::kernels::TlsHello;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const TlsHello whole = read_tls_hello(bytes);
  HAWSER_CHECK(!whole.has_server_name || whole.type == TlsHello::kClientHello);
  if (!whole.server_name.empty()) {
    HAWSER_CHECK(whole.server_name.data() >= bytes.data());
    HAWSER_CHECK(whole.server_name.data() + whole.server_name.size() <= bytes.data() + bytes.size());
  }
  for (std::size_t part = 0; part < size && part < 600; ++part) {
    const TlsHello before = read_tls_hello(bytes.substr(0, part));
    if (before.read == TlsHello::Read::need_more) continue;
    HAWSER_CHECK(before.read == whole.read);
    HAWSER_CHECK(before.type == whole.type);
    HAWSER_CHECK(before.server_name == whole.server_name);
  }
  return 0;
}
