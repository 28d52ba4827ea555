// The first message of a TLS handshake, read from bytes that anybody may have sent: enough to route by it.
#pragma once

#include <cstdint>
#include <string_view>

namespace hawser::kernels {

struct TlsHello {
  static constexpr std::uint8_t kClientHello = 1;
  enum class Read : std::uint8_t { need_more, none, complete };
  Read read = Read::none;
  std::uint8_t type = 0;           // complete: of the message; the rest is a ClientHello's
  std::uint8_t version_major = 0;  // that it names: 3.3 also for TLS 1.3
  std::uint8_t version_minor = 0;
  bool has_server_name = false;
  std::string_view server_name;  // a view into the bytes, as it stands there
};

// `bytes` are the first ones of a stream. A message that does not lie in one record is none.
TlsHello read_tls_hello(std::string_view bytes) noexcept;

}  // namespace hawser::kernels
