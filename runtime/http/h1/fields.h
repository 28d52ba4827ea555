// Field lines of an HTTP/1 head, and what they say about the connection and the body.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/http/codec.h"

namespace hawser::http::h1 {

// What is wrong, and where; `reason` null: nothing.
struct Fault {
  const char* reason = nullptr;
  std::size_t at = 0;
  std::uint16_t status = 400;
  explicit operator bool() const noexcept { return reason != nullptr; }
};

// What the fields of one head say together.
struct FieldFacts {
  bool has_length = false;
  std::uint64_t length = 0;
  bool chunked = false;
  bool has_codings = false;     // a field "transfer-encoding" is there, be it empty
  bool unknown_coding = false;  // a transfer coding before "chunked" that we do not undo
  bool close = false;           // Connection: close
  bool keep_alive = false;      // Connection: keep-alive
  bool upgrade = false;         // Connection: upgrade
  bool has_upgrade = false;     // an Upgrade field
  bool websocket = false;       // … that asks for websocket
  bool websocket_key = false;
  const Field* host = nullptr;
};

// Takes the options that concern this hop alone out of a Connection field whose value's bytes are ours to change; what is
// left is passed on, as haproxy does. A field of which nothing is left goes.
void read_connection(Field& field, FieldFacts& facts) noexcept;

// Reads the lines of text[begin, end), the end line included, into `head`; `text` is ours, and names are lower-cased in
// place. Connection loses its "close" and "keep-alive"; repeated equal Content-Length and Host fields become one.
Fault read_fields(char* text, std::size_t begin, std::size_t end, std::size_t fields_max, Head& head,
                  FieldFacts& facts) noexcept;

}  // namespace hawser::http::h1
