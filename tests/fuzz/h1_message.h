// Properties of one HTTP/1 message, for both directions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/check.h"
#include "runtime/http/h1/reader.h"
#include "runtime/http/h1/writer.h"

namespace hawser::fuzz {

struct Message {
  http::HeadResult result;
  std::string payload;
  bool done = false;
  bool malformed = false;
};

// Reads a message from bytes that come `piece` at a time.
template <class Reader>
Message read_in_pieces(std::string_view bytes, std::size_t piece, Arena& arena, http::Head& head) {
  Reader reader;
  reader.answers(http::Method::get, true);
  Message message;
  std::size_t seen = 0;
  while (message.result.read == http::Read::need_more && seen < bytes.size()) {
    seen = std::min(seen + piece, bytes.size());
    // A copy of exactly that size, so that reading past it is seen.
    const std::unique_ptr<char[]> copy(new char[seen]);
    std::copy(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(seen), copy.get());
    message.result = reader.read_head({copy.get(), seen}, arena, head, {.head_bytes_max = 4096, .fields_max = 50});
  }
  if (message.result.read != http::Read::complete) return message;
  std::size_t at = message.result.consumed;
  message.done = message.result.body.kind == http::BodyKind::none;
  while (at < bytes.size() && !message.done && !message.malformed) {
    const http::BodyStep step = reader.read_body(bytes.substr(at, piece));
    HAWSER_CHECK(step.consumed > 0 || step.done || step.malformed);
    HAWSER_CHECK(step.consumed <= std::min(piece, bytes.size() - at));
    message.payload += step.payload;
    message.done = step.done;
    message.malformed = step.malformed;
    at += step.consumed;
  }
  return message;
}

template <class Reader, class Write>
void check_message(std::string_view bytes, Write write) {
  if (bytes.size() > 16384) return;
  Arena arena;
  http::Head head;
  const Message whole = read_in_pieces<Reader>(bytes, bytes.size() + 1, arena, head);
  Arena arena_of_pieces;
  http::Head head_of_pieces;
  const Message pieces = read_in_pieces<Reader>(bytes, 7, arena_of_pieces, head_of_pieces);
  if (whole.result.read == http::Read::complete && pieces.result.read == http::Read::complete) {
    HAWSER_CHECK(whole.result.consumed == pieces.result.consumed);
    HAWSER_CHECK(whole.payload == pieces.payload);
    HAWSER_CHECK(whole.malformed == pieces.malformed);
  }
  if (whole.result.read != http::Read::complete) return;

  http::h1::Writer writer;
  Bytes out;
  (writer.*write)(out, head, http::ConnectionOption::none, false);
  Arena arena_again;
  http::Head again;
  Reader reader;
  reader.answers(http::Method::get, true);
  const http::HeadResult second =
      reader.read_head(out.view(), arena_again, again, {.head_bytes_max = 65536, .fields_max = 50});
  HAWSER_CHECK(second.read == http::Read::complete);
  HAWSER_CHECK(second.body.kind == whole.result.body.kind);
  HAWSER_CHECK(second.body.length == whole.result.body.length);
  HAWSER_CHECK(second.consumed == out.size());
  std::size_t at = 0;
  for (const http::Field& field : head.fields) {
    if (field.removed) continue;
    while (again.fields[at].removed) ++at;
    HAWSER_CHECK(again.fields[at].name == field.name);
    HAWSER_CHECK(again.fields[at].value == field.value);
    ++at;
  }
}

}  // namespace hawser::fuzz
