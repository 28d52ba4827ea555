#include "runtime/http/h1/settle.h"

#include <charconv>
#include <cstring>

#include "runtime/base/ascii.h"
#include "runtime/http/h1/chars.h"
#include "runtime/http/h1/fields.h"

namespace hawser::http::h1 {
namespace {

constexpr std::string_view kLength = "content-length";
constexpr std::string_view kCodings = "transfer-encoding";

// What the fields say now.
struct Said {
  bool has_length = false;
  std::uint64_t length = 0;
  bool has_codings = false;
  bool chunked = false;    // … and "chunked" is the last of them
  bool close = false;      // Connection: close
  bool misplaced = false;  // … or it is there, but more than once, or not last
};

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A number, or a list of equal ones, of which one is left; else the field goes.
void read_length(Field& field, Said& said) noexcept {
  std::string_view rest = field.value;
  const std::string_view first = trim(rest.substr(0, rest.find(',')));
  std::uint64_t value = 0;
  const char* const end = first.data() + first.size();
  const auto [at, error] = std::from_chars(first.data(), end, value);
  bool sound = error == std::errc() && at == end && value <= INT64_MAX && (!said.has_length || value == said.length);
  for (std::size_t comma; (comma = rest.find(',')) != std::string_view::npos;) {
    rest.remove_prefix(comma + 1);
    sound = sound && trim(rest.substr(0, rest.find(','))) == first;
  }
  field.removed = !sound;
  if (!sound) return;
  field.value = first;
  said.has_length = true;
  said.length = value;
}

void read_codings(std::string_view codings, Said& said) noexcept {
  said.has_codings = true;
  for (;;) {
    const std::size_t comma = codings.find(',');
    const std::string_view coding = trim(codings.substr(0, comma));
    said.misplaced |= said.chunked && !coding.empty();
    said.chunked |= equal_ignoring_case(coding, "chunked");
    if (comma == std::string_view::npos) return;
    codings.remove_prefix(comma + 1);
  }
}

// The options of this hop are ours to write.
void take_options(Field& field, Arena& arena, Said& said) noexcept {
  char* const copy = arena.allocate(field.value.size());
  if (!field.value.empty()) std::memcpy(copy, field.value.data(), field.value.size());
  field.value = {copy, field.value.size()};
  FieldFacts facts;
  read_connection(field, facts);
  said.close |= facts.close;
}

Said read(Head& head, Arena& arena) noexcept {
  Said said;
  for (Field& field : head.fields) {
    if (field.removed) continue;
    if (same_name(field.name, kLength)) read_length(field, said);
    if (same_name(field.name, "connection")) take_options(field, arena, said);
    if (same_name(field.name, kCodings)) read_codings(field.value, said);
  }
  if (said.misplaced) {  // readers differ about what this means
    head.remove(kCodings);
    said.has_codings = said.chunked = false;
  }
  // A reader that goes by the length would see another message (RFC 9112, 6.3); haproxy 2.6 sends both.
  if (said.chunked && said.has_length) head.remove(kLength);
  return said;
}

// Of a message with a body, or that may have one, when fields frame it.
SettledFraming by_fields(const Said& said, const BodyFraming& source, SettledFraming settled) noexcept {
  if (said.chunked) {
    settled.body = {BodyKind::chunked, 0};
    return settled;
  }
  if (source.kind == BodyKind::length) {
    settled.impossible = said.length < source.length;
    settled.keeps = settled.keeps && said.length == source.length;
  }
  settled.body = {BodyKind::length, said.length};
  return settled;
}

SettledFraming announced(SettledFraming settled) noexcept {
  settled.body = {BodyKind::chunked, 0};
  settled.announce_chunked = true;
  return settled;
}

}  // namespace

SettledFraming settle_request(Head& head, Arena& arena, const BodyFraming& source) noexcept {
  SettledFraming settled{.body = source};
  if (source.kind == BodyKind::tunnel) return settled;
  const Said said = read(head, arena);
  settled.keeps = !said.close && (!said.has_codings || (source.kind == BodyKind::chunked && !said.has_length));
  if (source.kind == BodyKind::none) {
    if (said.has_length) head.remove(kLength);
    if (said.chunked) settled.body = {BodyKind::chunked, 0};
    return settled;
  }
  if (said.chunked || said.has_length) return by_fields(said, source, settled);
  if (source.kind == BodyKind::length && source.length == 0) return settled;
  if (head.version_minor != 0) return announced(settled);
  // Nothing else frames a body of HTTP/1.0; haproxy 2.6 sends it bare, on a connection that it means to keep.
  if (source.kind == BodyKind::chunked) {
    head.add(arena, kCodings, "chunked");
  } else {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, source.length).ptr;
    head.add(arena, kLength, {digits, static_cast<std::size_t>(end - digits)});
  }
  return settled;
}

SettledFraming settle_response(Head& head, Arena& arena, const BodyFraming& source) noexcept {
  SettledFraming settled{.body = source};
  if (source.kind == BodyKind::tunnel) return settled;
  if (head.status < 200 || head.status == 204) {
    head.remove(kLength);
    head.remove(kCodings);
    settled.keeps = !read(head, arena).close;
    return settled;
  }
  const Said said = read(head, arena);
  const bool has_body = source.kind != BodyKind::none;
  const bool recoded = has_body && source.kind != BodyKind::chunked;
  settled.keeps = !said.close && (!said.has_codings || (!recoded && !said.has_length));
  if (!has_body) return settled;
  if (said.chunked || said.has_length) return by_fields(said, source, settled);
  if (source.kind == BodyKind::until_close) return settled;
  if (head.version_minor != 0) return announced(settled);
  // haproxy 2.6 keeps the connection, and the client cannot tell where the body ends.
  settled.body = {BodyKind::until_close, 0};
  settled.keeps = false;
  return settled;
}

}  // namespace hawser::http::h1
