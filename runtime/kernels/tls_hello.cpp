// A record (RFC 8446, 5.1), the handshake message in it (4), of a ClientHello (4.1.2) the extensions, of these the server's
// name (RFC 6066, 3).
#include "runtime/kernels/tls_hello.h"

#include <cstddef>

namespace hawser::kernels {
namespace {

// Takes numbers and blocks from the front; what is not there makes it fail for good.
class Cutter {
 public:
  explicit Cutter(std::string_view bytes) noexcept : bytes_(bytes) {}

  bool failed() const noexcept { return failed_; }
  bool empty() const noexcept { return bytes_.empty(); }
  std::size_t number(std::size_t size) noexcept {
    std::size_t value = 0;
    for (const char c : block(size)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view block(std::size_t size) noexcept {
    if (size > bytes_.size()) {
      failed_ = true;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  // A block behind its length of so many bytes.
  std::string_view counted(std::size_t size) noexcept { return block(number(size)); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

constexpr std::size_t kRecordHeadBytes = 5;
constexpr std::size_t kRecordBytesMax = 16384 + 2048;
constexpr std::uint8_t kHandshake = 0x16;
constexpr std::size_t kServerName = 0;  // the extension, and its one type of names

void read_server_name(std::string_view extension, TlsHello& hello) noexcept {
  Cutter list(Cutter(extension).counted(2));
  const std::size_t type = list.number(1);
  const std::string_view name = list.counted(2);
  if (list.failed() || type != kServerName) return;
  hello.has_server_name = true;
  hello.server_name = name;
}

void read_client_hello(std::string_view message, TlsHello& hello) noexcept {
  Cutter body(message);
  hello.version_major = static_cast<std::uint8_t>(body.number(1));
  hello.version_minor = static_cast<std::uint8_t>(body.number(1));
  body.block(32);   // random
  body.counted(1);  // session
  body.counted(2);  // cipher suites
  body.counted(1);  // compression methods
  if (body.failed() || body.empty()) return;
  Cutter extensions(body.counted(2));
  while (!extensions.failed() && !extensions.empty()) {
    const std::size_t type = extensions.number(2);
    const std::string_view extension = extensions.counted(2);
    if (!extensions.failed() && type == kServerName) return read_server_name(extension, hello);
  }
}

}  // namespace

TlsHello read_tls_hello(std::string_view bytes) noexcept {
  TlsHello hello;
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes[0]) != kHandshake) return hello;
  if (bytes.size() > 1 && static_cast<std::uint8_t>(bytes[1]) < 3) return hello;
  if (bytes.size() < kRecordHeadBytes) {
    hello.read = TlsHello::Read::need_more;
    return hello;
  }
  Cutter head(bytes.substr(3));
  const std::size_t size = head.number(2);
  if (size < 4 || size > kRecordBytesMax) return hello;
  if (bytes.size() - kRecordHeadBytes < size) {
    hello.read = TlsHello::Read::need_more;
    return hello;
  }
  Cutter record(bytes.substr(kRecordHeadBytes, size));
  hello.type = static_cast<std::uint8_t>(record.number(1));
  const std::string_view message = record.counted(3);
  if (record.failed()) return hello;
  hello.read = TlsHello::Read::complete;
  if (hello.type == TlsHello::kClientHello) read_client_hello(message, hello);
  return hello;
}

}  // namespace hawser::kernels
