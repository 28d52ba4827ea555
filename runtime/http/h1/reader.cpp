#include "runtime/http/h1/reader.h"

#include <cstring>

#include "runtime/http/h1/chars.h"
#include "runtime/http/h1/fields.h"

namespace hawser::http::h1 {
namespace {

HeadResult malformed(std::uint16_t status, const char* error, std::size_t at) noexcept {
  HeadResult result;
  result.read = Read::malformed;
  result.status = status;
  result.error = error;
  result.error_at = at;
  return result;
}

// "HTTP/" DIGIT "." DIGIT; the minor version as we treat it: 0 for what is older than 1.1. -1: none.
int parse_version(std::string_view text) noexcept {
  if (text.size() != 8 || text.substr(0, 5) != "HTTP/" || !is_digit(text[5]) || text[6] != '.' || !is_digit(text[7])) {
    return -1;
  }
  return text[5] > '1' || (text[5] == '1' && text[7] > '0') ? 1 : 0;
}

bool has_port(std::string_view authority) noexcept {
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == authority.size()) return false;
  for (std::size_t i = colon + 1; i < authority.size(); ++i) {
    if (!is_digit(authority[i])) return false;
  }
  return true;
}

// The four forms of RFC 9112, 3.2; null or what is wrong.
const char* split_target(Head& head) noexcept {
  const std::string_view target = head.target;
  if (head.method_id == Method::connect) {
    if (!has_port(target)) return "the target of CONNECT has no port";
    head.authority = target;
    return nullptr;
  }
  if (target[0] == '/' || target[0] == '*') {  // haproxy 2.6 takes more behind the asterisk
    head.path = target;
    return nullptr;
  }
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos || colon == 0) return "a target that is neither a path nor a URI";
  for (std::size_t i = 0; i < colon; ++i) {
    const char c = to_lower(target[i]);
    if (!(c >= 'a' && c <= 'z') && !(i > 0 && (is_digit(c) || c == '+' || c == '-' || c == '.'))) {
      return "a scheme that is none";
    }
  }
  head.scheme = target.substr(0, colon);
  const std::string_view rest = target.substr(colon + 3);
  const std::size_t end = rest.find('/');  // haproxy 2.6 does the same: a '?' before it is none of a query
  head.authority = rest.substr(0, end);
  head.path = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
  return nullptr;
}

bool equal_but_for_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

// Without a port that goes without saying: the scheme's, an empty one, and with CONNECT that of either scheme. Other
// schemes have none (haproxy 2.6 does the same).
std::string_view without_default_port(std::string_view authority, const Head& head) noexcept {
  const bool connect = head.method_id == Method::connect;
  const bool http = connect || equal_but_for_case(head.scheme, "http");
  const bool https = connect || equal_but_for_case(head.scheme, "https");
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return authority;
  const std::string_view port = authority.substr(colon + 1);
  const bool is_default = (http && port == "80") || (https && port == "443") || ((http || https) && port.empty());
  return is_default ? authority.substr(0, colon) : authority;
}

// The Host, if there is one, must name what the target's authority names (RFC 9112, 3.2.2). A default port goes: from
// the target, but for CONNECT's, and then from the Host too (haproxy 2.6 does the same).
bool settle_authority(Head& head, const Field* host, Arena& arena) noexcept {
  // Who asks stands before the host, and says nothing of it.
  const std::string_view as_given = head.authority.substr(head.authority.rfind('@') + 1);
  const std::string_view plain = without_default_port(as_given, head);
  const bool had_port = plain.size() != as_given.size();
  if (host != nullptr && !equal_but_for_case(host->value, plain)) {
    const std::string_view other = had_port ? as_given : plain;
    const std::string_view named = had_port ? host->value : without_default_port(host->value, head);
    if (!equal_but_for_case(named, other)) return false;
    if (had_port) head.fields[static_cast<std::size_t>(host - head.fields.data())].value = plain;
  }
  if (!had_port || head.method_id == Method::connect) return true;
  // The start line again, without the port's bytes.
  const auto before = static_cast<std::size_t>(plain.data() + plain.size() - head.start_line.data());
  const std::string_view rest = head.start_line.substr(before + as_given.size() - plain.size());
  char* const line = arena.allocate(before + rest.size());
  std::memcpy(line, head.start_line.data(), before);
  std::memcpy(line + before, rest.data(), rest.size());
  const auto moved = [&](std::string_view part, std::size_t shorter) {
    const auto at = static_cast<std::size_t>(part.data() - head.start_line.data());
    return std::string_view(line + (at > before ? at - shorter : at), part.size());
  };
  const std::size_t gone = as_given.size() - plain.size();
  const std::string_view path = head.path.empty() ? std::string_view() : moved(head.path, gone);
  const std::string_view target = head.target;
  head.target = {moved(target, gone).data(), target.size() - gone};
  head.method = moved(head.method, gone);
  head.scheme = moved(head.scheme, gone);
  const std::string_view authority = head.authority;
  head.authority = {moved(authority, gone).data(), authority.size() - gone};
  head.path = path;
  head.start_line = {line, before + rest.size()};
  return true;
}

// METHOD 1*SP TARGET 1*SP VERSION; haproxy 2.6 takes several blanks. Null or what is wrong.
const char* read_request_line(std::string_view line, Head& head, std::size_t& at) noexcept {
  std::size_t i = 0;
  while (i < line.size() && is_token(line[i])) ++i;
  at = i;
  if (i == 0) return "a method that is no token";
  head.method = line.substr(0, i);
  head.method_id = parse_method(head.method);
  if (head.method == "PRI") return "the preface of HTTP/2 (RFC 9113, 3.4)";
  const std::size_t blank = i;
  while (i < line.size() && is_blank(line[i])) ++i;
  at = i;
  if (i == blank) return "a method that is no token";
  const std::size_t target = i;
  while (i < line.size() && is_target(line[i])) ++i;
  at = i;
  head.target = line.substr(target, i - target);
  if (i == line.size() || !is_blank(line[i])) {
    return i == line.size() ? "a request line without a version" : "a forbidden byte in the target";
  }
  if (head.target.empty()) return "no target";
  while (i < line.size() && is_blank(line[i])) ++i;
  at = i;
  const int minor = parse_version(line.substr(i));
  if (minor < 0) return "a version that is not HTTP's";
  head.version_minor = static_cast<std::uint8_t>(minor);
  at = target;
  return split_target(head);
}

// A blank each between method, target and version, whatever the client put there (haproxy 2.6 logs it so).
std::string_view tidy_request_line(const Head& head, Arena& arena) noexcept {
  const std::string_view line = head.start_line;
  constexpr std::size_t kVersion = 8;
  const std::size_t size = head.method.size() + 1 + head.target.size() + 1 + kVersion;
  if (line.size() == size && line[head.method.size()] == ' ' && line[size - kVersion - 1] == ' ') return line;
  char* const tidy = arena.allocate(size);
  char* at = tidy;
  std::memcpy(at, head.method.data(), head.method.size());
  at += head.method.size();
  *at++ = ' ';
  std::memcpy(at, head.target.data(), head.target.size());
  at += head.target.size();
  *at++ = ' ';
  std::memcpy(at, line.data() + line.size() - kVersion, kVersion);
  return {tidy, size};
}

// Of a head that is not complete: can it still become one? What cannot (TLS on a plain port, say) is answered
// at once.
bool may_begin_request(std::string_view bytes) noexcept {
  std::size_t i = 0;
  while (i < bytes.size() && is_token(bytes[i])) ++i;
  return i == bytes.size() || (i > 0 && is_blank(bytes[i]));
}

std::size_t leading_line_ends(std::string_view bytes) noexcept {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const std::size_t end = bytes[i] == '\r' ? i + 1 : i;
    if (end >= bytes.size() || bytes[end] != '\n') break;
    i = end + 1;
  }
  return i;
}

// A length on a method for which HTTP/1.0 defines no body: haproxy 2.6 answers 413.
bool has_unexpected_body(const Head& head, const FieldFacts& facts) noexcept {
  if (head.version_minor != 0 || (!facts.chunked && facts.length == 0)) return false;
  return head.method_id == Method::get || head.method_id == Method::head || head.method_id == Method::delete_;
}

// Copies the head into the arena and gives the offset of its first field line, with the start line set.
char* take_head(std::string_view bytes, Arena& arena, Head& head, std::size_t& fields_at) noexcept {
  head.clear();
  char* text = arena.allocate(bytes.size());
  std::memcpy(text, bytes.data(), bytes.size());
  const char* line_end = static_cast<const char*>(std::memchr(text, '\n', bytes.size()));
  fields_at = static_cast<std::size_t>(line_end - text) + 1;
  if (line_end > text && line_end[-1] == '\r') --line_end;
  head.start_line = {text, static_cast<std::size_t>(line_end - text)};
  return text;
}

}  // namespace

std::size_t Reader::find_end(std::string_view bytes) noexcept {
  // A head ends at an empty line: a line end right behind a line end.
  while (seen_ < bytes.size()) {
    const void* found = std::memchr(bytes.data() + seen_, '\n', bytes.size() - seen_);
    if (found == nullptr) {
      seen_ = bytes.size();
      return 0;
    }
    const std::size_t at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    std::size_t next = at + 1;
    if (next < bytes.size() && bytes[next] == '\r') ++next;
    if (next >= bytes.size()) {
      seen_ = at;  // look at this line end again when there is more
      return 0;
    }
    if (bytes[next] == '\n') return next + 1;
    seen_ = at + 1;
  }
  return 0;
}

bool Reader::is_body_sound(std::string_view bytes) const noexcept {
  BodyReader ahead = body_;
  while (!bytes.empty()) {
    const BodyStep step = ahead.read(bytes);
    if (step.malformed) return false;
    if (step.done) break;
    bytes.remove_prefix(step.consumed);
  }
  return true;
}

// Once the first line has come, it need not wait for the rest to be judged; null: nothing is wrong so far.
const char* RequestReader::judge_request_line(std::string_view bytes) noexcept {
  if (line_judged_) return nullptr;
  std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return nullptr;
  line_judged_ = true;
  if (end > 0 && bytes[end - 1] == '\r') --end;
  Head head;
  std::size_t fault_at = 0;
  return read_request_line(bytes.substr(0, end), head, fault_at);
}

HeadResult RequestReader::read_head(std::string_view bytes, Arena& arena, Head& head,
                                    const HeadLimits& limits) noexcept {
  const std::size_t skipped = leading_line_ends(bytes);
  const std::string_view rest = bytes.substr(skipped);
  if (rest.empty() || rest == "\r")
    return bytes.size() > limits.head_bytes_max ? malformed(400, "line ends alone", 0) : HeadResult{};
  const std::size_t size = find_end(rest);
  if (size == 0) {
    if (rest.size() > limits.head_bytes_max) return malformed(400, "the head is too large", limits.head_bytes_max);
    if (!may_begin_request(rest)) return malformed(400, "this is no HTTP request", 0);
    if (const char* error = judge_request_line(rest)) return malformed(400, error, 0);
    return {};
  }
  if (size > limits.head_bytes_max) return malformed(400, "the head is too large", limits.head_bytes_max);

  std::size_t at = 0;
  char* text = take_head(rest.substr(0, size), arena, head, at);
  std::size_t fault_at = 0;
  if (const char* error = read_request_line(head.start_line, head, fault_at)) return malformed(400, error, fault_at);
  if (const std::string_view tidy = tidy_request_line(head, arena); tidy.data() != head.start_line.data()) {
    head.start_line = tidy;
    read_request_line(tidy, head, fault_at);
  }
  FieldFacts facts;
  if (const Fault fault = read_fields(text, at, size, limits.fields_max, head, facts)) {
    return malformed(fault.status, fault.reason, fault.at);
  }
  if (!head.authority.empty() && !settle_authority(head, facts.host, arena)) {
    return malformed(400, "Host and the target's authority differ", 0);
  }
  if (facts.unknown_coding) {
    return facts.chunked ? malformed(422, "a transfer coding that we do not undo", 0)
                         : malformed(400, "a transfer coding without \"chunked\"", 0);
  }
  if (facts.has_codings && !facts.chunked) return malformed(400, "an empty list of transfer codings", 0);
  if (facts.chunked || facts.length > 0) head.remove("upgrade");  // haproxy 2.6 does the same: the body is HTTP's
  const bool upgrade = facts.upgrade && !facts.chunked && facts.length == 0;
  if (facts.upgrade && facts.has_upgrade && facts.websocket && !facts.websocket_key)
    return malformed(400, "a WebSocket without a key", 0);
  if (has_unexpected_body(head, facts)) return malformed(413, "a body with a method that has none in HTTP/1.0", 0);

  HeadResult result;
  result.read = Read::complete;
  result.consumed = skipped + size;
  result.upgrade = upgrade;
  result.keep_alive = !facts.close && (head.version_minor > 0 || facts.keep_alive);
  if (facts.chunked) {
    result.body.kind = BodyKind::chunked;
    // RFC 9112, 6.1: the length is void, and the connection must not be used again; nor with HTTP/1.0.
    if (facts.has_length) head.remove("content-length");
    if (facts.has_length || head.version_minor == 0) result.keep_alive = false;
  } else if (facts.has_length && head.method_id == Method::connect) {
    head.remove("content-length");  // what follows is the tunnel's
  } else if (facts.has_length) {
    result.body = {BodyKind::length, facts.length};
  }
  body_.begin(result.body);
  return result;
}

HeadResult ResponseReader::read_head(std::string_view bytes, Arena& arena, Head& head,
                                     const HeadLimits& limits) noexcept {
  if (bytes.empty()) return {};
  const std::size_t size = find_end(bytes);
  if (size == 0) {
    if (bytes.size() > limits.head_bytes_max) return malformed(502, "the head is too large", limits.head_bytes_max);
    const std::size_t compared = bytes.size() < 5 ? bytes.size() : 5;
    if (bytes.substr(0, compared) != std::string_view("HTTP/").substr(0, compared)) {
      return malformed(502, "this is no HTTP response", 0);
    }
    return {};
  }
  if (size > limits.head_bytes_max) return malformed(502, "the head is too large", limits.head_bytes_max);

  std::size_t at = 0;
  char* text = take_head(bytes.substr(0, size), arena, head, at);
  const std::string_view line = head.start_line;
  const int minor = parse_version(line.substr(0, 8));
  if (minor < 0 || line.size() < 12 || line[8] != ' ') return malformed(502, "a status line that is none", 0);
  head.version_minor = static_cast<std::uint8_t>(minor);
  if (line[9] < '1' || !is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) ||
      (line.size() > 12 && line[12] != ' ')) {
    return malformed(502, "a status that is not three digits", 9);
  }
  head.status = static_cast<std::uint16_t>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
  head.reason = line.size() > 13 ? line.substr(13) : std::string_view{};
  while (!head.reason.empty() && is_blank(head.reason.front())) head.reason.remove_prefix(1);
  for (const char c : head.reason) {
    if (c == '\0' || c == '\r') return malformed(502, "a NUL or a bare CR in the reason", 13);
  }
  FieldFacts facts;
  if (const Fault fault = read_fields(text, at, size, limits.fields_max, head, facts)) {
    return malformed(502, fault.reason, fault.at);
  }
  if (facts.unknown_coding) return malformed(502, "a transfer coding that we do not undo", 0);
  if (head.status == 101 && !upgrade_asked_) {
    HeadResult unasked = malformed(502, "a 101 that nobody asked for", 9);
    unasked.consumed = size;
    return unasked;
  }
  if (head.status == 101 && !facts.upgrade) return malformed(502, "a 101 that does not say what to", 9);
  if (head.status == 101 && facts.websocket && head.find("sec-websocket-accept") == nullptr) {
    return malformed(502, "a WebSocket without an acceptance", 9);
  }

  HeadResult result;
  result.read = Read::complete;
  result.consumed = size;
  result.keep_alive = !facts.close && (head.version_minor > 0 || facts.keep_alive);
  result.close_asked = facts.close;
  if (facts.chunked && facts.has_length) {  // RFC 9112, 6.3: the length is void, and this may be somebody's trick
    head.remove("content-length");
    result.keep_alive = false;
  }
  result.upgrade = head.status == 101;
  const bool tunnel = head.status == 101 || (method_ == Method::connect && head.status / 100 == 2);
  if (tunnel) {
    result.body.kind = BodyKind::tunnel;
    result.keep_alive = false;
    if (head.status == 101) {
      head.remove("content-length");
      head.remove("transfer-encoding");
    }
  } else if (head.status < 200 || head.status == 204 || head.status == 304 || method_ == Method::head) {
    // RFC 9110, 8.6 and RFC 9112, 6.3. A 204 must not have a length, and haproxy takes it out.
    if (head.status < 200 || head.status == 204) {
      head.remove("content-length");
      head.remove("transfer-encoding");
    }
    result.body.kind = BodyKind::none;
  } else if (facts.chunked) {
    result.body.kind = BodyKind::chunked;
  } else if (facts.has_length && !facts.has_codings) {
    result.body = {BodyKind::length, facts.length};
  } else {
    if (facts.has_length) head.remove("content-length");
    result.body.kind = BodyKind::until_close;
    result.keep_alive = false;
  }
  body_.begin(result.body);
  reset();  // of an interim response, the next head follows
  return result;
}

}  // namespace hawser::http::h1
