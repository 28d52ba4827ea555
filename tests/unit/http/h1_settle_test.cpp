// What frames a message once rules had its fields.
#include "runtime/http/h1/settle.h"

#include <doctest/doctest.h>

using namespace hawser;
using namespace hawser::http;

namespace {

struct Message {
  Arena arena;
  Head head;

  explicit Message(std::initializer_list<Field> fields, std::uint8_t version_minor = 1) {
    head.status = 200;
    head.version_minor = version_minor;
    for (const Field& field : fields) head.add(arena, field.name, field.value);
  }
  SettledFraming request(BodyKind kind, std::uint64_t length = 0) {
    return h1::settle_request(head, arena, {kind, length});
  }
  SettledFraming response(BodyKind kind, std::uint64_t length = 0) {
    return h1::settle_response(head, arena, {kind, length});
  }
};

}  // namespace

TEST_CASE("a message whose fields say what its body is leaves as it came") {
  const SettledFraming counted = Message({{"content-length", "3"}}).response(BodyKind::length, 3);
  CHECK(counted.body.kind == BodyKind::length);
  CHECK(counted.body.length == 3);
  CHECK(counted.keeps);
  CHECK(!counted.announce_chunked);
  const SettledFraming chunked = Message({{"transfer-encoding", "chunked"}}).request(BodyKind::chunked);
  CHECK(chunked.body.kind == BodyKind::chunked);
  CHECK(chunked.keeps);
  CHECK(!chunked.announce_chunked);
}

TEST_CASE("a body that nothing frames is announced as chunked") {
  for (const SettledFraming& settled :
       {Message({}).response(BodyKind::length, 3), Message({}).response(BodyKind::chunked),
        Message({}).response(BodyKind::length, 0), Message({}).request(BodyKind::length, 3),
        Message({{"content-length", "x"}}).response(BodyKind::length, 3)}) {
    CHECK(settled.body.kind == BodyKind::chunked);
    CHECK(settled.announce_chunked);
    CHECK(settled.keeps);
  }
  CHECK(!Message({}).request(BodyKind::length, 0).announce_chunked);
  CHECK(!Message({}).response(BodyKind::none).announce_chunked);
}

TEST_CASE("what HTTP/1.0 cannot announce ends with the connection, or gets its fields back") {
  const SettledFraming response = Message({}, 0).response(BodyKind::chunked);
  CHECK(response.body.kind == BodyKind::until_close);
  CHECK(!response.keeps);
  Message request({}, 0);
  CHECK(request.request(BodyKind::length, 12).body.kind == BodyKind::length);
  REQUIRE(request.head.find("content-length") != nullptr);
  CHECK(request.head.find("content-length")->value == "12");
}

TEST_CASE("a length that promises too little cannot be sent, one that promises too much ends the connection") {
  CHECK(Message({{"content-length", "2"}}).response(BodyKind::length, 3).impossible);
  const SettledFraming longer = Message({{"content-length", "4"}}).response(BodyKind::length, 3);
  CHECK(!longer.impossible);
  CHECK(!longer.keeps);
}

TEST_CASE("of two lengths the first counts, and the other goes") {
  Message message({{"content-length", "3"}, {"content-length", "7"}});
  CHECK(message.response(BodyKind::length, 3).keeps);
  CHECK(message.head.count("content-length") == 1);
}

TEST_CASE("a coding that is not the last is none") {
  for (const char* codings : {"chunked, gzip", "chunked, chunked"}) {
    Message message({{"transfer-encoding", codings}});
    const SettledFraming settled = message.response(BodyKind::chunked);
    CHECK(settled.announce_chunked);
    CHECK(message.head.count("transfer-encoding") == 0);
  }
}

TEST_CASE("an empty coding is none, wherever it stands") {
  for (const char* codings : {"chunked,", ", chunked", "chunked , ,"}) {
    Message message({{"transfer-encoding", codings}});
    CHECK(!message.request(BodyKind::chunked).announce_chunked);
    CHECK(message.head.count("transfer-encoding") == 1);
  }
}

TEST_CASE("a request without a body promises none") {
  Message message({{"content-length", "5"}});
  CHECK(message.request(BodyKind::none).body.kind == BodyKind::none);
  CHECK(message.head.count("content-length") == 0);
}

TEST_CASE("a Connection that a rule wrote loses what is said of this hop, and close ends the connection") {
  Message message({{"connection", "x, close"}});
  CHECK(!message.response(BodyKind::none).keeps);
  CHECK(message.head.find("connection")->value == "x");
  Message kept({{"connection", "keep-alive"}});
  CHECK(kept.response(BodyKind::none).keeps);
  CHECK(kept.head.count("connection") == 0);
}
