#include "runtime/http/h1/fields.h"

#include <cstring>

#include "runtime/base/ascii.h"
#include "runtime/http/h1/chars.h"

namespace hawser::http::h1 {
namespace {

constexpr std::size_t kNameBytesMax = 255;  // as haproxy 2.6

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The next element of a comma-separated list, off the front of `rest`.
std::string_view next_element(std::string_view& rest) noexcept {
  const std::size_t comma = rest.find(',');
  const std::string_view element = trim(rest.substr(0, comma));
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return element;
}

// A list of equal numbers ("2, 2") is one number (RFC 9110, 8.6).
Fault read_content_length(Field& field, FieldFacts& facts) noexcept {
  std::string_view rest = field.value;
  std::string_view first;
  const bool again = facts.has_length;
  do {
    const std::string_view element = next_element(rest);
    if (element.empty()) return {"an empty Content-Length"};
    std::uint64_t value = 0;
    for (const char c : element) {
      if (!is_digit(c)) return {"a Content-Length that is no number"};
      if (value > (INT64_MAX - 9) / 10) return {"a Content-Length that is too large"};
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (facts.has_length && value != facts.length) return {"different Content-Lengths"};
    facts.has_length = true;
    facts.length = value;
    if (first.empty()) first = element;
  } while (!rest.empty());
  if (field.value.back() == ',') return {"an empty Content-Length"};
  field.value = first;
  field.removed = again;
  return {};
}

// "chunked" must come once and last (RFC 9112, 6.1). An empty element before it is a coding that we do not know: the
// next hop might see "chunked" there, or none.
Fault read_transfer_encoding(const Field& field, FieldFacts& facts) noexcept {
  facts.has_codings = true;
  std::string_view rest = field.value;
  if (rest.empty()) return {};
  do {
    const std::string_view coding = next_element(rest);
    if (coding.empty() && facts.chunked) continue;
    if (facts.chunked) return {"a transfer coding behind \"chunked\""};
    if (equal_ignoring_case(coding, "chunked")) {
      facts.chunked = true;
    } else {
      facts.unknown_coding = true;
    }
  } while (!rest.empty());
  return {};
}

Fault note(Field& field, Head& head, FieldFacts& facts) noexcept {
  switch (field.name.size()) {
    case 4:
      if (field.name == "host") {
        if (facts.host != nullptr) {
          // `fields` may have moved since: compare with the first by name.
          const Field* first = head.find("host");
          if (!equal_ignoring_case(first->value, field.value)) return {"different Host fields"};
          field.removed = true;
        }
        facts.host = &field;
      }
      break;
    case 7:
      if (field.name == "upgrade") {
        facts.has_upgrade = true;
        facts.websocket |= equal_ignoring_case(field.value, "websocket");
      }
      break;
    case 10:
      if (field.name == "connection") read_connection(field, facts);
      break;
    case 14:
      if (field.name == "content-length") return read_content_length(field, facts);
      break;
    case 17:
      if (field.name == "transfer-encoding") return read_transfer_encoding(field, facts);
      if (field.name == "sec-websocket-key") facts.websocket_key = true;
      break;
    default: break;
  }
  return {};
}

}  // namespace

void read_connection(Field& field, FieldFacts& facts) noexcept {
  char* const begin = const_cast<char*>(field.value.data());  // the arena's copy
  std::size_t kept = 0;
  bool stripped = false;
  bool others = false;  // an empty list goes, too
  for (std::string_view rest = field.value; !rest.empty();) {
    const std::string_view option = next_element(rest);
    if (option.empty()) continue;
    const bool close = equal_ignoring_case(option, "close");
    const bool keep_alive = equal_ignoring_case(option, "keep-alive");
    facts.close |= close;
    facts.keep_alive |= keep_alive;
    facts.upgrade |= equal_ignoring_case(option, "upgrade");
    (close || keep_alive ? stripped : others) = true;
  }
  if (!stripped && others) return;
  // One comma between two options is never longer than what stood there, so that nothing unread is overwritten.
  for (std::string_view rest = field.value; !rest.empty();) {
    const std::string_view option = next_element(rest);
    if (option.empty() || equal_ignoring_case(option, "close") || equal_ignoring_case(option, "keep-alive")) continue;
    if (kept != 0) begin[kept++] = ',';
    std::memmove(begin + kept, option.data(), option.size());
    kept += option.size();
  }
  field.value = {begin, kept};
  field.removed = kept == 0;
}

Fault read_fields(char* text, std::size_t begin, std::size_t end, std::size_t fields_max, Head& head,
                  FieldFacts& facts) noexcept {
  std::size_t at = begin;
  while (at < end) {
    char* const line = text + at;
    char* line_end = static_cast<char*>(std::memchr(line, '\n', end - at));
    std::size_t next = static_cast<std::size_t>(line_end - text) + 1;
    if (line_end > line && line_end[-1] == '\r') --line_end;
    if (line_end == line) break;  // the empty line
    if (is_blank(*line)) return {"a first field line that begins with a blank", at};

    char* name_end = line;
    while (name_end < line_end && is_token(*name_end)) {
      *name_end = kTokenLower[static_cast<unsigned char>(*name_end)];
      ++name_end;
    }
    if (name_end == line || name_end == line_end || *name_end != ':') {
      return {"a field name that is no token", static_cast<std::size_t>(name_end - text)};
    }
    // Folded lines (RFC 9112, 5.2) become one: each line end a run of blanks.
    while (next < end && is_blank(text[next])) {
      for (char* c = line_end; c < text + next; ++c) *c = ' ';
      line_end = static_cast<char*>(std::memchr(text + next, '\n', end - next));
      next = static_cast<std::size_t>(line_end - text) + 1;
      if (line_end[-1] == '\r') --line_end;
    }
    const std::string_view value = trim({name_end + 1, static_cast<std::size_t>(line_end - name_end - 1)});
    for (const char c : value) {
      if (c == '\0' || c == '\r') return {"a NUL or a bare CR in a field", static_cast<std::size_t>(name_end - text)};
    }
    if (static_cast<std::size_t>(name_end - line) > kNameBytesMax) return {"a field name that is too long", at};
    if (head.fields.size() >= fields_max) return {"too many fields", at};
    head.fields.push_back({{line, static_cast<std::size_t>(name_end - line)}, value});
    if (Fault fault = note(head.fields.back(), head, facts)) {
      if (fault.at == 0) fault.at = at;
      return fault;
    }
    at = next;
  }
  facts.host = head.find("host");
  return {};
}

}  // namespace hawser::http::h1
