#include "runtime/http/h1/writer.h"

#include <cstring>

namespace hawser::http::h1 {
namespace {

// Writes into memory whose size was counted before.
class Cursor {
 public:
  explicit Cursor(char* at) noexcept : at_(at) {}
  void put(std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put(char c) noexcept { *at_++ = c; }

 private:
  char* at_;
};

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kChunkedLine = "transfer-encoding: chunked\r\n";

std::string_view option_line(ConnectionOption option) noexcept {
  switch (option) {
    case ConnectionOption::none: return "";
    case ConnectionOption::close: return "connection: close\r\n";
    case ConnectionOption::keep_alive: return "connection: keep-alive\r\n";
  }
  return "";
}

std::size_t fields_size(std::span<const Field> fields) noexcept {
  std::size_t size = 0;
  for (const Field& field : fields) {
    if (!field.removed) size += field.name.size() + field.value.size() + 4;
  }
  return size;
}

void put_fields(Cursor& cursor, std::span<const Field> fields) noexcept {
  for (const Field& field : fields) {
    if (field.removed) continue;
    cursor.put(field.name);
    cursor.put(": ");
    cursor.put(field.value);
    cursor.put(kLineEnd);
  }
}

}  // namespace

void Writer::write_request(Bytes& out, const Head& head, ConnectionOption option, bool announce_chunked) noexcept {
  const std::string_view line = option_line(option);
  const std::string_view coding = announce_chunked ? kChunkedLine : std::string_view();
  const std::string_view version = head.version_minor == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  Cursor cursor(out.extend(head.method.size() + 1 + head.target.size() + version.size() + fields_size(head.fields) +
                           line.size() + coding.size() + kLineEnd.size()));
  cursor.put(head.method);
  cursor.put(' ');
  cursor.put(head.target);
  cursor.put(version);
  put_fields(cursor, head.fields);
  cursor.put(line);
  cursor.put(coding);
  cursor.put(kLineEnd);
}

void Writer::write_response(Bytes& out, const Head& head, ConnectionOption option, bool announce_chunked) noexcept {
  const std::string_view line = option_line(option);
  const std::string_view coding = announce_chunked ? kChunkedLine : std::string_view();
  const std::string_view version = head.version_minor == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  Cursor cursor(out.extend(version.size() + 4 + head.reason.size() + kLineEnd.size() + fields_size(head.fields) +
                           line.size() + coding.size() + kLineEnd.size()));
  cursor.put(version);
  cursor.put(static_cast<char>('0' + head.status / 100));
  cursor.put(static_cast<char>('0' + head.status / 10 % 10));
  cursor.put(static_cast<char>('0' + head.status % 10));
  cursor.put(' ');
  cursor.put(head.reason);
  cursor.put(kLineEnd);
  put_fields(cursor, head.fields);
  cursor.put(line);
  cursor.put(coding);
  cursor.put(kLineEnd);
}

std::size_t Writer::before_payload(const BodyFraming& body, std::size_t size, char* out) noexcept {
  if (body.kind != BodyKind::chunked) return 0;
  char digits[16];
  std::size_t count = 0;
  for (; size != 0; size >>= 4) digits[count++] = "0123456789abcdef"[size & 15];
  for (std::size_t i = 0; i < count; ++i) out[i] = digits[count - 1 - i];
  std::memcpy(out + count, kLineEnd.data(), kLineEnd.size());
  return count + kLineEnd.size();
}

std::size_t Writer::after_payload(const BodyFraming& body, char* out) noexcept {
  if (body.kind != BodyKind::chunked) return 0;
  std::memcpy(out, kLineEnd.data(), kLineEnd.size());
  return kLineEnd.size();
}

void Writer::write_end(Bytes& out, const BodyFraming& body, std::span<const Field> trailers) noexcept {
  if (body.kind != BodyKind::chunked) return;
  Cursor cursor(out.extend(3 + fields_size(trailers) + kLineEnd.size()));
  cursor.put("0\r\n");
  put_fields(cursor, trailers);
  cursor.put(kLineEnd);
}

}  // namespace hawser::http::h1
