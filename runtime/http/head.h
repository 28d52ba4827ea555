// A message head of no particular HTTP version (contract 7): what rules see and edit, and what codecs read
// and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/base/arena.h"

namespace hawser::http {

// RFC 9110, 9.3; `other` for the rest, whose name is in Head::method.
enum class Method : std::uint8_t { other, get, head, post, put, delete_, connect, options, trace, patch };
Method parse_method(std::string_view name) noexcept;

// Names of fields as they are looked for: of one length most of all, and then they differ at the end.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         (a.empty() || (a.back() == b.back() && std::memcmp(a.data(), b.data(), a.size()) == 0));
}

// A field line. Names are lower-cased; bytes are in the exchange's arena or in the Program.
struct Field {
  std::string_view name;
  std::string_view value;
  bool removed = false;
};

// Views live as long as the arena; edits append to it, so that earlier views stay valid.
struct Head {
  // Request:
  Method method_id = Method::other;
  std::string_view method;
  std::string_view target;     // as received: origin, absolute, authority or asterisk form
  std::string_view scheme;     // of an absolute-form target, else ""
  std::string_view authority;  // of an absolute-form or authority-form target, else ""
  std::string_view path;       // with the query; "*" of asterisk-form; "" of authority-form
  // Response:
  std::uint16_t status = 0;
  std::string_view reason;
  // Both:
  std::uint8_t version_minor = 1;  // of HTTP/1.x as received
  std::string_view start_line;     // as received, without its line end: for logs
  std::vector<Field> fields;       // in order; removed ones are skipped, not erased

  void clear() noexcept;  // keeps the capacity of `fields`

  // The first field of that (lower-case) name, or null.
  const Field* find(std::string_view name) const noexcept;
  // How many fields of that name there are.
  std::size_t count(std::string_view name) const noexcept;
  // Copies both into the arena; the name is lower-cased.
  void add(Arena& arena, std::string_view name, std::string_view value);
  // Returns how many were removed.
  std::size_t remove(std::string_view name) noexcept;

  std::string_view path_only() const noexcept;  // up to '?'
  std::string_view query() const noexcept;      // behind '?', "" when there is none
  bool has_query() const noexcept;
};

// How a message's body ends (RFC 9112, 6.3).
enum class BodyKind : std::uint8_t { none, length, chunked, until_close, tunnel };
struct BodyFraming {
  BodyKind kind = BodyKind::none;
  std::uint64_t length = 0;
};

}  // namespace hawser::http
