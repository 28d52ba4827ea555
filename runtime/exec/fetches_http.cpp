// Fetches from the start lines and fields of a request and its response.
#include "runtime/exec/bytes.h"
#include "runtime/exec/evaluation.h"
#include "runtime/exec/values.h"
#include "runtime/kernels/casts.h"

namespace hawser::exec {
namespace {

using abi::Sample;

// The occurrence that the arguments name; without one the last, or all of them in a test. A fetch without a field's name
// finds nothing (haproxy 2.6 does the same).
bool occurrence(FetchCall& call, const http::Head* head, bool split, std::string_view& value) noexcept {
  const std::string_view name = call.text(0);
  if (head == nullptr || name.empty()) return false;
  const std::int64_t number = call.integer(1, 0);
  if (call.every() && number == 0) return next_value(*head, name, split, call.cursor, value);
  return !call.next && numbered_value(*head, name, split, number == 0 ? -1 : number, value);
}

Sample field(FetchCall& call, const http::Head* head, bool split) noexcept {
  std::string_view value;
  return occurrence(call, head, split, value) ? Sample::text(value) : Sample::absent();
}

Sample count(FetchCall& call, const http::Head* head) noexcept {
  if (head == nullptr) return Sample::absent();
  Frame::Cursor cursor;
  std::string_view value;
  std::int64_t sum = 0;
  while (next_value(*head, call.text(0), true, cursor, value)) ++sum;
  return Sample::sint(sum);
}

// A number that does not fit is the nearest one that does. (haproxy 2.6 takes it modulo 2^32, so that a content-length of 4 GiB is
// 0 and HTTP_CONTENT does not hold: ours holds. tests/unit/exec: "hdr_val".)
Sample field_number(FetchCall& call) noexcept {
  std::string_view value;
  if (!occurrence(call, call.request(), true, value)) return Sample::absent();
  std::int64_t number = 0;
  kernels::parse_integer(value, number);
  return Sample::sint(number);
}

Sample version(const FetchCall& call) noexcept {
  const http::Head* request = call.request();
  if (request == nullptr) return Sample::absent();
  return Sample::text(request->version_minor == 0 ? "1.0" : "1.1");
}

// Of the request: there is none in the rules of a response, but for log lines.
Sample is_http(const FetchCall& call) noexcept {
  if (call.response()) return Sample::absent();
  if (call.subject.raw) return begins_http(call);
  return call.subject.request == nullptr && call.subject.response == nullptr ? Sample::absent() : Sample::boolean(true);
}

// What haproxy 2.6 says of a head without a body: texts without their separators, and 21 bytes.
Sample head_size(const FetchCall& call) noexcept {
  if (call.subject.raw) return bytes_so_far(call, call.subject.request_bytes);
  const http::Head* request = call.subject.request;
  if (request == nullptr) return Sample::absent();
  std::size_t sum = request->method.size() + request->target.size() + std::string_view("HTTP/1.1").size() + 21;
  for (const http::Field& field : request->fields) {
    if (!field.removed) sum += field.name.size() + field.value.size();
  }
  return Sample::sint(static_cast<std::int64_t>(sum));
}

// "192.0.2.1", "192.0.2.1:80", "2001:db8::1".
bool parse_field_address(std::string_view text, Sample& address) noexcept {
  if (const std::size_t used = kernels::parse_ipv4(text, address); used > 0) {
    if (used == text.size()) return true;
    const std::string_view port = text.substr(used + 1);
    return text[used] == ':' && !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
  }
  const auto ip = IpAddress::parse(text);
  if (!ip) return false;
  address = Sample::address(*ip);
  return true;
}

// In a test, what is no address is passed over.
Sample field_address(FetchCall& call, const http::Head* head) noexcept {
  std::string_view value;
  Sample address;
  while (occurrence(call, head, true, value)) {
    if (parse_field_address(value, address)) return address;
    if (!call.every() || call.integer(1, 0) != 0) break;
    call.next = true;
  }
  return Sample::absent();
}

// The methods that haproxy 2.6 knows by number.
bool is_known_method(std::string_view method) noexcept {
  for (const std::string_view known : {"OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "CONNECT"}) {
    if (method == known) return true;
  }
  return false;
}

}  // namespace

// The request line outlives the head: for responses and logs its copy speaks. The name of another method is gone with the head,
// where a response's rules run (haproxy 2.6 does the same).
Sample fetch_method(FetchCall& call) noexcept {
  std::string_view method;
  if (call.subject.request != nullptr) method = call.subject.request->method;
  if (method.empty() && call.subject.exchange != nullptr) method = call.subject.exchange->method;
  if (method.empty() || (call.response() && !is_known_method(method))) return Sample::absent();
  return Sample::text(method, abi::SampleType::method);
}

Sample fetch_path(FetchCall& call) noexcept {
  const http::Head* request = call.request();
  if (request == nullptr || request->path.empty() || request->path.front() != '/') return Sample::absent();
  return Sample::text(request->path_only());
}

Sample fetch_query(FetchCall& call) noexcept {
  const http::Head* request = call.request();
  if (request == nullptr || !request->has_query()) return Sample::absent();
  return Sample::text(request->query());
}

Sample fetch_url(FetchCall& call) noexcept {
  const http::Head* request = call.request();
  return request == nullptr || request->target.empty() ? Sample::absent() : Sample::text(request->target);
}

Sample fetch_status(FetchCall& call) noexcept {
  const http::Head* response = call.subject.response;
  return response == nullptr || response->status == 0 ? Sample::absent() : Sample::sint(response->status);
}

Sample fetch_req_hdr(FetchCall& call) noexcept { return field(call, call.request(), true); }
Sample fetch_req_fhdr(FetchCall& call) noexcept { return field(call, call.request(), false); }
Sample fetch_res_hdr(FetchCall& call) noexcept { return field(call, call.subject.response, true); }
Sample fetch_hdr(FetchCall& call) noexcept { return field(call, call.head(), true); }
Sample fetch_req_hdr_cnt(FetchCall& call) noexcept { return count(call, call.request()); }
Sample fetch_hdr_cnt(FetchCall& call) noexcept { return count(call, call.request()); }
Sample fetch_req_hdr_val(FetchCall& call) noexcept { return field_number(call); }
Sample fetch_hdr_val(FetchCall& call) noexcept { return field_number(call); }
Sample fetch_req_ver(FetchCall& call) noexcept { return version(call); }
Sample fetch_req_ver_legacy(FetchCall& call) noexcept { return version(call); }
Sample fetch_req_proto_http(FetchCall& call) noexcept { return is_http(call); }
Sample fetch_req_proto_http_legacy(FetchCall& call) noexcept { return is_http(call); }
Sample fetch_req_len(FetchCall& call) noexcept { return head_size(call); }
Sample fetch_req_len_legacy(FetchCall& call) noexcept { return head_size(call); }
Sample fetch_req_hdr_ip(FetchCall& call) noexcept { return field_address(call, call.request()); }
Sample fetch_hdr_ip(FetchCall& call) noexcept { return field_address(call, call.request()); }

}  // namespace hawser::exec
