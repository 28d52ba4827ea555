// Fetches over the bytes of a TCP session, as far as they have come. What may still come is pending.
#include "runtime/exec/bytes.h"
#include "runtime/http/h1/reader.h"
#include "runtime/kernels/tls_hello.h"

namespace hawser::exec {
namespace {

using abi::Sample;

Sample not_yet(const FetchCall& call) noexcept {
  Sample sample = Sample::absent();
  sample.pending = !call.subject.final;
  return sample;
}

// Of HTTP there are no bytes to be had (haproxy 2.6 does the same).
bool has_bytes(const FetchCall& call) noexcept { return call.subject.raw; }

std::string_view bytes_of(const FetchCall& call, bool response) noexcept {
  return response ? call.subject.response_bytes : call.subject.request_bytes;
}

Sample payload(const FetchCall& call, bool response) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  const std::string_view bytes = bytes_of(call, response);
  const auto offset = static_cast<std::uint64_t>(call.integer(0, 0));
  const auto length = static_cast<std::uint64_t>(call.integer(1, 0));
  if (offset > bytes.size() || length > bytes.size() - offset) return not_yet(call);
  Sample sample =
      Sample::text(bytes.substr(offset, length == 0 ? std::string_view::npos : length), abi::SampleType::binary);
  sample.pending = length == 0 && !call.subject.final;
  return sample;
}

// The third argument: from the start of all bytes, or with a sign from the end of the length.
std::int64_t block_offset(const FetchCall& call, std::int64_t behind_length) noexcept {
  const std::string_view text = call.text(2);
  if (text.empty()) return behind_length;
  const bool is_relative = text[0] == '+' || text[0] == '-';
  std::int64_t number = 0;
  for (const char c : text.substr(is_relative ? 1 : 0)) {
    if (c < '0' || c > '9' || number > INT32_MAX) break;
    number = number * 10 + (c - '0');
  }
  if (!is_relative) return number;
  return text[0] == '-' ? behind_length - number : behind_length + number;
}

Sample payload_lv(const FetchCall& call, bool response) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  const std::string_view bytes = bytes_of(call, response);
  const auto at = static_cast<std::uint64_t>(call.integer(0, 0));
  const auto size = static_cast<std::uint64_t>(call.integer(1, 0));
  if (at > bytes.size() || size > bytes.size() - at) return not_yet(call);
  std::uint32_t length = 0;
  for (const char c : bytes.substr(at, size)) length = length << 8 | static_cast<unsigned char>(c);
  const std::int64_t offset = block_offset(call, static_cast<std::int64_t>(at + size));
  if (offset < 0 || length == 0) return Sample::absent();
  const auto begin = static_cast<std::uint64_t>(offset);
  if (begin > bytes.size() || length > bytes.size() - begin) return not_yet(call);
  return Sample::text(bytes.substr(begin, length), abi::SampleType::binary);
}

Sample hello_type(const FetchCall& call, bool response) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  const kernels::TlsHello hello = kernels::read_tls_hello(bytes_of(call, response));
  if (hello.read == kernels::TlsHello::Read::need_more) return not_yet(call);
  return hello.read == kernels::TlsHello::Read::complete ? Sample::sint(hello.type) : Sample::absent();
}

Sample hello_version(const FetchCall& call) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  const kernels::TlsHello hello = kernels::read_tls_hello(call.subject.request_bytes);
  if (hello.read == kernels::TlsHello::Read::need_more) return not_yet(call);
  const bool is_client =
      hello.read == kernels::TlsHello::Read::complete && hello.type == kernels::TlsHello::kClientHello;
  return is_client ? Sample::sint(hello.version_major << 16 | hello.version_minor) : Sample::absent();
}

Sample server_name(const FetchCall& call) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  const kernels::TlsHello hello = kernels::read_tls_hello(call.subject.request_bytes);
  if (hello.read == kernels::TlsHello::Read::need_more) return not_yet(call);
  return hello.has_server_name ? Sample::text(hello.server_name) : Sample::absent();
}

// "Cookie: NAME=VALUE\r\n" behind the 11 bytes of TPKT and X.224 (MS-RDPBCGR, 2.2.1.1).
enum class RdpCookie : std::uint8_t { need_more, none, found };
RdpCookie find_rdp_cookie(std::string_view bytes, std::string_view name, std::string_view& value) noexcept {
  constexpr std::size_t kHeaderBytes = 11;
  constexpr std::string_view kCookie = "Cookie:";
  if (bytes.size() <= kHeaderBytes + kCookie.size()) return RdpCookie::need_more;
  if (bytes[0] != 3 || bytes.substr(kHeaderBytes, kCookie.size()) != kCookie) return RdpCookie::none;
  std::string_view rest = bytes.substr(kHeaderBytes + kCookie.size());
  const std::size_t end = rest.find_first_of("\r\n");
  if (end == std::string_view::npos) return RdpCookie::need_more;
  rest = rest.substr(0, end);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos || (!name.empty() && rest.substr(0, equals) != name)) return RdpCookie::none;
  value = rest.substr(equals + 1);
  return RdpCookie::found;
}

Sample rdp_cookie(const FetchCall& call) noexcept {
  if (!has_bytes(call)) return Sample::absent();
  std::string_view value;
  const RdpCookie found = find_rdp_cookie(call.subject.request_bytes, call.text(0), value);
  if (found == RdpCookie::need_more) return not_yet(call);
  return found == RdpCookie::found ? Sample::text(value) : Sample::absent();
}

Sample rdp_cookie_count(const FetchCall& call) noexcept {
  if (!has_bytes(call)) return Sample::sint(0);
  std::string_view value;
  const RdpCookie found = find_rdp_cookie(call.subject.request_bytes, call.text(0), value);
  return found == RdpCookie::need_more ? not_yet(call) : Sample::sint(found == RdpCookie::found ? 1 : 0);
}

}  // namespace

Sample bytes_so_far(const FetchCall& call, std::string_view bytes) noexcept {
  Sample sample = Sample::sint(static_cast<std::int64_t>(bytes.size()));
  sample.pending = !call.subject.final;
  return sample;
}

Sample begins_http(const FetchCall& call) noexcept {
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string_view bytes = call.subject.request_bytes;
  if (bytes.starts_with(kPreface)) return Sample::boolean(true);
  if (kPreface.starts_with(bytes)) return not_yet(call);
  http::h1::RequestReader reader;
  http::Head head;
  http::HeadLimits limits;
  limits.head_bytes_max = bytes.size() + 1;  // the buffer is its limit
  switch (reader.read_head(bytes, *call.subject.arena, head, limits).read) {
    case http::Read::complete: return Sample::boolean(true);
    case http::Read::need_more: return not_yet(call);
    case http::Read::malformed: break;
  }
  return Sample::absent();
}

Sample fetch_payload(FetchCall& call) noexcept { return payload(call, call.response()); }
Sample fetch_payload_lv(FetchCall& call) noexcept { return payload_lv(call, call.response()); }
Sample fetch_rdp_cookie(FetchCall& call) noexcept { return rdp_cookie(call); }
Sample fetch_rdp_cookie_cnt(FetchCall& call) noexcept { return rdp_cookie_count(call); }
Sample fetch_req_payload(FetchCall& call) noexcept { return payload(call, false); }
Sample fetch_req_payload_lv(FetchCall& call) noexcept { return payload_lv(call, false); }
Sample fetch_req_rdp_cookie(FetchCall& call) noexcept { return rdp_cookie(call); }
Sample fetch_req_rdp_cookie_cnt(FetchCall& call) noexcept { return rdp_cookie_count(call); }
Sample fetch_req_ssl_hello_type(FetchCall& call) noexcept { return hello_type(call, false); }
Sample fetch_req_ssl_hello_type_legacy(FetchCall& call) noexcept { return hello_type(call, false); }
Sample fetch_req_ssl_sni(FetchCall& call) noexcept { return server_name(call); }
Sample fetch_req_ssl_sni_legacy(FetchCall& call) noexcept { return server_name(call); }
Sample fetch_req_ssl_ver(FetchCall& call) noexcept { return hello_version(call); }
Sample fetch_req_ssl_ver_legacy(FetchCall& call) noexcept { return hello_version(call); }
Sample fetch_res_len(FetchCall& call) noexcept {
  return has_bytes(call) ? bytes_so_far(call, call.subject.response_bytes) : Sample::absent();
}
Sample fetch_res_payload(FetchCall& call) noexcept { return payload(call, true); }
Sample fetch_res_payload_lv(FetchCall& call) noexcept { return payload_lv(call, true); }
Sample fetch_res_ssl_hello_type(FetchCall& call) noexcept { return hello_type(call, true); }
Sample fetch_rep_ssl_hello_type(FetchCall& call) noexcept { return hello_type(call, true); }

}  // namespace hawser::exec
