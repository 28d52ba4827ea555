// Bodies in any pieces, and what is written of them.
#include "runtime/http/h1/body.h"

#include <doctest/doctest.h>

#include <string>

#include "runtime/http/h1/writer.h"

using namespace hawser;
using namespace hawser::http;

namespace {

struct Body {
  std::string payload;
  std::size_t consumed = 0;
  bool done = false;
  bool malformed = false;
};

// Feeds `bytes` in pieces of `piece`.
Body read(h1::BodyReader& reader, std::string_view bytes, std::size_t piece) {
  Body body;
  while (body.consumed < bytes.size() && !body.done && !body.malformed) {
    const BodyStep step = reader.read(bytes.substr(body.consumed, piece));
    body.payload += step.payload;
    body.consumed += step.consumed;
    body.done = step.done;
    body.malformed = step.malformed;
  }
  return body;
}

}  // namespace

TEST_CASE("a chunked body is the same in pieces of any size") {
  const std::string text = "2;foo=bar\r\nab\r\n00a \r\n0123456789\r\n0\r\nTrail: x \r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size() + 5; ++piece) {
    h1::BodyReader reader;
    reader.begin({BodyKind::chunked, 0});
    const Body body = read(reader, text + "NEXT", piece);
    CHECK(body.done);
    CHECK(body.payload == "ab0123456789");
    CHECK(body.consumed == text.size());
    REQUIRE(reader.trailers().size() == 1);
    CHECK(reader.trailers()[0].name == "trail");
    CHECK(reader.trailers()[0].value == "x");
  }
}

TEST_CASE("chunks that are none are malformed") {
  for (const char* text :
       {"zz\r\n", "\r\n", "FFFFFFFFFFFFFFFFF\r\n", "2\r\nabX0\r\n", "2\rab", "0\r\nfoo bar\r\n", "-2\r\n"}) {
    h1::BodyReader reader;
    reader.begin({BodyKind::chunked, 0});
    CHECK_MESSAGE(read(reader, text, 100).malformed, text);
  }
}

TEST_CASE("a counted body ends with its last byte") {
  h1::BodyReader reader;
  reader.begin({BodyKind::length, 3});
  const Body body = read(reader, "abcdef", 2);
  CHECK(body.payload == "abc");
  CHECK(body.done);
  CHECK(reader.end_of_stream());
}

TEST_CASE("the end of the stream ends a body of no length, and no other") {
  h1::BodyReader reader;
  reader.begin({BodyKind::until_close, 0});
  CHECK(reader.end_of_stream());
  reader.begin({BodyKind::length, 3});
  CHECK_FALSE(reader.end_of_stream());
}

TEST_CASE("what the writer frames, the reader reads") {
  h1::Writer writer;
  const BodyFraming chunked{BodyKind::chunked, 0};
  std::string wire;
  const std::string payload(300, 'x');
  char framing[kBodyFramingMax];
  wire.append(framing, writer.before_payload(chunked, payload.size(), framing));
  wire += payload;
  wire.append(framing, writer.after_payload(chunked, framing));
  Bytes end;
  const Field trailer{"a", "b"};
  writer.write_end(end, chunked, {&trailer, 1});
  wire += end.view();
  CHECK(wire == "12c\r\n" + payload + "\r\n0\r\na: b\r\n\r\n");
  h1::BodyReader reader;
  reader.begin(chunked);
  CHECK(read(reader, wire, 7).payload == payload);
}

TEST_CASE("a head is written with lower-case names, its options last") {
  Arena arena;
  Head head;
  head.method = "GET";
  head.target = "/x";
  head.add(arena, "Host", "a");
  head.add(arena, "gone", "b");
  head.remove("gone");
  h1::Writer writer;
  Bytes out;
  writer.write_request(out, head, ConnectionOption::close, false);
  CHECK(out.view() == "GET /x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  out.clear();
  head.status = 404;
  head.reason = "Not Found";
  head.version_minor = 0;
  writer.write_response(out, head, ConnectionOption::none, false);
  CHECK(out.view() == "HTTP/1.0 404 Not Found\r\nhost: a\r\n\r\n");
}

TEST_CASE("a folded trailer is one, in pieces of any size") {
  const std::string text = "0\r\nA: 1\r\n 2\r\nB: 3\n\t4 \r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    h1::BodyReader reader;
    reader.begin({BodyKind::chunked, 0});
    CHECK(read(reader, text, piece).done);
    REQUIRE(reader.trailers().size() == 2);
    CHECK(reader.trailers()[0].value == "1   2");
    CHECK(reader.trailers()[1].value == "3 \t4");
  }
}

TEST_CASE("sizes beyond 52 bits, words behind blanks, and wrong framing in trailers are malformed") {
  for (const char* text : {"ffffffffffffff\r\n", "3 x\r\nabc\r\n", "0\r\n folded\r\n\r\n", "0\r\nx : 1\r\n\r\n",
                           "0\r\nTransfer-Encoding: gzip\r\n\r\n", "0\r\nContent-Length: x\r\n\r\n"}) {
    h1::BodyReader reader;
    reader.begin({BodyKind::chunked, 0});
    CHECK_MESSAGE(read(reader, text, 100).malformed, text);
  }
}
