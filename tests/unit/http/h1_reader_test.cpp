// HTTP/1 requests and responses as haproxy 2.6 reads them; each expectation was measured there, but for those
// that say otherwise.
#include "runtime/http/h1/reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace hawser;
using namespace hawser::http;

namespace {

struct Parsed {
  HeadResult result;
  Head head;
  Arena arena;
};

void request(Parsed& parsed, std::string_view bytes, HeadLimits limits = {}) {
  h1::RequestReader reader;
  parsed.result = reader.read_head(bytes, parsed.arena, parsed.head, limits);
}

void response(Parsed& parsed, std::string_view bytes, Method method = Method::get, bool upgrade = false) {
  h1::ResponseReader reader;
  reader.answers(method, upgrade);
  parsed.result = reader.read_head(bytes, parsed.arena, parsed.head, {});
}

std::uint16_t refused(std::string_view bytes) {
  Parsed parsed;
  request(parsed, bytes);
  REQUIRE(parsed.result.read == Read::malformed);
  return parsed.result.status;
}

bool accepted(std::string_view bytes) {
  Parsed parsed;
  request(parsed, bytes);
  return parsed.result.read == Read::complete;
}

std::string with_field(std::string_view field) {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(field) + "\r\n\r\n";
}

}  // namespace

TEST_CASE("a request is split into method, target and fields with lower-case names") {
  Parsed parsed;
  request(parsed, "GET /a?b=c HTTP/1.1\r\nHost: Example.org\r\nX-Foo:  Bar  \r\n\r\nrest");
  REQUIRE(parsed.result.read == Read::complete);
  CHECK(parsed.result.consumed == 57);
  CHECK(parsed.head.method_id == Method::get);
  CHECK(parsed.head.path == "/a?b=c");
  CHECK(parsed.head.start_line == "GET /a?b=c HTTP/1.1");
  REQUIRE(parsed.head.fields.size() == 2);
  CHECK(parsed.head.fields[0].value == "Example.org");
  CHECK(parsed.head.fields[1].name == "x-foo");
  CHECK(parsed.head.fields[1].value == "Bar");
  CHECK(parsed.result.keep_alive);
}

TEST_CASE("a head that comes byte by byte is complete with its last byte and not before") {
  const std::string text = "\r\nGET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n";
  h1::RequestReader reader;
  Arena arena;
  Head head;
  for (std::size_t size = 1; size < text.size(); ++size) {
    CHECK(reader.read_head(std::string_view(text).substr(0, size), arena, head, {}).read == Read::need_more);
  }
  CHECK(reader.read_head(text, arena, head, {}).read == Read::complete);
}

TEST_CASE("what cannot become a request is refused before its head is complete") {
  CHECK(refused(std::string_view("\x16\x03\x01\x02\x00\x01", 6)) == 400);
  CHECK(refused(" GET / HTTP/1.1") == 400);
}

TEST_CASE("a request line that is none is refused before the rest has come, an odd one is tidied") {
  CHECK(refused("GET /\r\n") == 400);
  CHECK(refused("GET / HTTP/x\n") == 400);
  Parsed incomplete;
  request(incomplete, "GET / HTTP/1.1\r\n");
  CHECK(incomplete.result.read == Read::need_more);
  Parsed odd;
  request(odd, "GET \t http://a:80/x  HTTP/1.0\r\nHost: a\r\n\r\n");
  REQUIRE(odd.result.read == Read::complete);
  CHECK(odd.head.start_line == "GET http://a/x HTTP/1.0");
  CHECK(odd.head.path == "/x");
}

TEST_CASE("the request line is taken as haproxy takes it") {
  CHECK(accepted("GET  /  HTTP/1.1\r\n\r\n"));
  CHECK(accepted("GET\t/ HTTP/1.1\r\n\r\n"));
  CHECK(accepted("get / HTTP/3.1\n\n"));
  CHECK(accepted("GET /a\"<>\\^`{|} HTTP/1.1\r\n\r\n"));
  CHECK(refused("GET / HTTP/1.1 \r\n\r\n") == 400);
  CHECK(refused("GET / http/1.1\r\n\r\n") == 400);
  CHECK(refused("GET / HTTP/1.10\r\n\r\n") == 400);
  CHECK(refused("GET /\r\n\r\n") == 400);
  CHECK(refused("GET HTTP/1.1\r\n\r\n") == 400);
  CHECK(refused("GET /a#b HTTP/1.1\r\n\r\n") == 400);
  CHECK(refused("GET /\xe9 HTTP/1.1\r\n\r\n") == 400);
  CHECK(refused("G@T / HTTP/1.1\r\n\r\n") == 400);
  CHECK(refused("GET foo HTTP/1.1\r\n\r\n") == 400);
  CHECK(refused("CONNECT a HTTP/1.1\r\n\r\n") == 400);
  CHECK(accepted("CONNECT a:80 HTTP/1.1\r\n\r\n"));
  CHECK(accepted("OPTIONS * HTTP/1.1\r\n\r\n"));
}

TEST_CASE("the authority of an absolute target must be the Host's, default ports aside") {
  CHECK(accepted("GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\n"));
  CHECK(accepted("GET http://A/x HTTP/1.1\r\nHost: a:80\r\n\r\n"));
  CHECK(accepted("GET https://a HTTP/1.1\r\nHost: a:443\r\n\r\n"));
  CHECK(refused("GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n") == 400);
  CHECK(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  Parsed parsed;
  request(parsed, "GET / HTTP/1.1\r\nHost: a\r\nHost: A\r\n\r\n");
  CHECK(parsed.head.count("host") == 1);
}

TEST_CASE("a default port goes from an absolute target, and then from the Host") {
  const auto read = [](std::string_view target, std::string_view host, std::string_view method = "GET") {
    Parsed parsed;
    request(parsed,
            std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    const Field* const field = parsed.head.find("host");
    return std::string(parsed.head.start_line) + "|" + std::string(parsed.head.target) + "|" +
           std::string(parsed.head.authority) + "|" + std::string(parsed.head.path) + "|" +
           (field == nullptr ? "" : std::string(field->value));
  };
  CHECK(read("http://a.b:80/p?q", "a.b:80") == "GET http://a.b/p?q HTTP/1.1|http://a.b/p?q|a.b|/p?q|a.b");
  CHECK(read("http://a.b:80/p", "A.b") == "GET http://a.b/p HTTP/1.1|http://a.b/p|a.b|/p|A.b");
  CHECK(read("HTTPS://A.b:443", "a.B:443") == "GET HTTPS://A.b HTTP/1.1|HTTPS://A.b|A.b||A.b");
  CHECK(read("http://a.b:/", "a.b:") == "GET http://a.b/ HTTP/1.1|http://a.b/|a.b|/|a.b");
  CHECK(read("http://[::1]:80/", "[::1]") == "GET http://[::1]/ HTTP/1.1|http://[::1]/|[::1]|/|[::1]");
  CHECK(read("http://a.b/p", "a.b:80") == "GET http://a.b/p HTTP/1.1|http://a.b/p|a.b|/p|a.b:80");
  CHECK(read("https://a.b:80/p", "a.b:80") == "GET https://a.b:80/p HTTP/1.1|https://a.b:80/p|a.b:80|/p|a.b:80");
  CHECK(read("ws://a.b:80/", "a.b:80") == "GET ws://a.b:80/ HTTP/1.1|ws://a.b:80/|a.b:80|/|a.b:80");
  CHECK(read("/p", "a.b:80") == "GET /p HTTP/1.1|/p||/p|a.b:80");
  CHECK(read("a.b:443", "a.b:443", "CONNECT") == "CONNECT a.b:443 HTTP/1.1|a.b:443|a.b:443||a.b");
  CHECK(refused("CONNECT a:443 HTTP/1.1\r\nHost: c\r\n\r\n") == 400);
  CHECK(refused("CONNECT a:8080 HTTP/1.1\r\nHost: a\r\n\r\n") == 400);
  CHECK(refused("CONNECT a:80 HTTP/1.1\r\nHost: a:443\r\n\r\n") == 400);
  CHECK(refused("GET ws://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n") == 400);
  CHECK(refused("GET http://a:443/ HTTP/1.1\r\nHost: a\r\n\r\n") == 400);
}

TEST_CASE("field lines that mean two things to two readers are refused") {
  CHECK(refused(with_field("X : a")) == 400);
  CHECK(refused(with_field("X")) == 400);
  CHECK(refused(with_field(": a")) == 400);
  CHECK(refused(with_field("X(y): a")) == 400);
  CHECK(refused(with_field("X: a\rb")) == 400);
  // haproxy 2.6 lets NUL pass; RFC 9110, 5.5 does not.
  CHECK(refused(with_field(std::string_view("X: a\0b", 6))) == 400);
  CHECK(refused("GET / HTTP/1.1\r\n Host: a\r\n\r\n") == 400);
  CHECK(accepted(with_field("X_y: a")));
}

TEST_CASE("folded lines become one") {
  Parsed parsed;
  request(parsed, "GET / HTTP/1.1\r\nX: a\r\n  b\r\n\tc\r\nY: 1\r\n\r\n");
  REQUIRE(parsed.result.read == Read::complete);
  CHECK(parsed.head.find("x")->value == "a    b  \tc");
  CHECK(parsed.head.find("y")->value == "1");
}

TEST_CASE("lengths that differ, or that are none, are refused") {
  CHECK(refused(with_field("Content-Length: 2\r\nContent-Length: 3")) == 400);
  CHECK(refused(with_field("Content-Length: 2, 3")) == 400);
  CHECK(refused(with_field("Content-Length: +2")) == 400);
  CHECK(refused(with_field("Content-Length:")) == 400);
  CHECK(refused(with_field("Content-Length: 99999999999999999999")) == 400);
  // haproxy 2.6 takes these; 63 bits hold no more.
  CHECK(refused(with_field("Content-Length: 9223372036854775807")) == 400);
  CHECK(refused(with_field("Content-Length: 18446744073709551615")) == 400);
  Parsed parsed;
  request(parsed, with_field("Content-Length: 2, 2\r\nContent-Length: 2"));
  REQUIRE(parsed.result.read == Read::complete);
  CHECK(parsed.result.body.length == 2);
  CHECK(parsed.head.count("content-length") == 1);
  CHECK(parsed.head.find("content-length")->value == "2");
}

TEST_CASE("a transfer coding must be chunked, alone and last") {
  CHECK(refused(with_field("Transfer-Encoding: gzip")) == 400);
  CHECK(refused(with_field("Transfer-Encoding:")) == 400);
  CHECK(refused(with_field("Transfer-Encoding: ,")) == 400);
  CHECK(refused(with_field("Transfer-Encoding: , chunked")) == 422);
  CHECK(refused(with_field("Transfer-Encoding: chunked, gzip")) == 400);
  CHECK(refused(with_field("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")) == 400);
  CHECK(refused(with_field("Transfer-Encoding: gzip, chunked")) == 422);
}

TEST_CASE("chunked wins over a length, and ends the connection") {
  Parsed parsed;
  request(parsed, with_field("Transfer-Encoding: Chunked\r\nContent-Length: 3"));
  REQUIRE(parsed.result.read == Read::complete);
  CHECK(parsed.result.body.kind == BodyKind::chunked);
  CHECK_FALSE(parsed.result.keep_alive);
  CHECK(parsed.head.find("content-length") == nullptr);
}

TEST_CASE("connection options of this hop are not passed on, others are") {
  Parsed parsed;
  request(parsed, with_field("Connection: foo, keep-alive,a,b,c,d,e,close"));
  CHECK(parsed.head.find("connection")->value == "foo,a,b,c,d,e");
  CHECK_FALSE(parsed.result.keep_alive);
  Parsed alone;
  request(alone, with_field("Connection: close"));
  CHECK(alone.head.find("connection") == nullptr);
}

TEST_CASE("HTTP/1.0 keeps a connection when asked, and has no bodies with GET") {
  Parsed parsed;
  request(parsed, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
  CHECK(parsed.result.keep_alive);
  Parsed closing;
  request(closing, "GET / HTTP/1.0\r\n\r\n");
  CHECK_FALSE(closing.result.keep_alive);
  CHECK(refused("GET / HTTP/1.0\r\nContent-Length: 2\r\n\r\n") == 413);
}

TEST_CASE("a WebSocket needs its key") {
  CHECK(refused(with_field("Connection: Upgrade\r\nUpgrade: websocket")) == 400);
  Parsed parsed;
  request(parsed, with_field("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA=="));
  CHECK(parsed.result.upgrade);
}

TEST_CASE("as many fields as the limit says, and no more") {
  std::string text = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 100; ++i) text += "h: 1\r\n";
  CHECK(accepted(text + "\r\n"));
  CHECK(refused(text + "h: 1\r\n\r\n") == 400);
}

TEST_CASE("a head larger than the limit is refused, complete or not") {
  Parsed parsed;
  request(parsed, "GET / HTTP/1.1\r\nx: " + std::string(100, 'a'), {.head_bytes_max = 64, .fields_max = 10});
  CHECK(parsed.result.status == 400);
  Parsed whole;
  request(whole, "GET / HTTP/1.1\r\nx: " + std::string(100, 'a') + "\r\n\r\n",
          {.head_bytes_max = 64, .fields_max = 10});
  CHECK(whole.result.status == 400);
}

TEST_CASE("a response's body is what RFC 9112, 6.3 says") {
  Parsed parsed;
  response(parsed, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
  CHECK(parsed.result.body.kind == BodyKind::length);
  Parsed head;
  response(head, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", Method::head);
  CHECK(head.result.body.kind == BodyKind::none);
  CHECK(head.head.find("content-length") != nullptr);
  Parsed open;
  response(open, "HTTP/1.1 200\r\n\r\n");
  CHECK(open.result.body.kind == BodyKind::until_close);
  CHECK_FALSE(open.result.keep_alive);
  Parsed none;
  response(none, "HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n");
  CHECK(none.result.body.kind == BodyKind::none);
  CHECK(none.head.find("content-length") == nullptr);
  Parsed connect;
  response(connect, "HTTP/1.1 200 OK\r\n\r\n", Method::connect);
  CHECK(connect.result.body.kind == BodyKind::tunnel);
}

TEST_CASE("responses that are none, or that nobody asked for, are 502") {
  for (const char* text :
       {"foo bar\r\n\r\n", "HTTP/1.1 99 X\r\n\r\n", "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 1000 X\r\n\r\n", "HTTP/1.1 200 OK\r\nX(y): 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n"}) {
    Parsed parsed;
    response(parsed, text);
    CHECK_MESSAGE(parsed.result.status == 502, text);
  }
  Parsed asked;
  response(asked, "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\n\r\n", Method::get, true);
  CHECK(asked.result.body.kind == BodyKind::tunnel);
}

TEST_CASE("a 101 must say that it upgrades, and to a WebSocket that it accepts it") {
  for (const char* text : {"HTTP/1.1 101 S\r\n\r\n", "HTTP/1.1 101 S\r\nUpgrade: foo\r\n\r\n",
                           "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"}) {
    Parsed parsed;
    response(parsed, text, Method::get, true);
    CHECK_MESSAGE(parsed.result.status == 502, text);
  }
}

TEST_CASE("a response with a length beside chunked loses it, and its connection") {
  Parsed parsed;
  response(parsed, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(parsed.result.body.kind == BodyKind::chunked);
  CHECK(!parsed.result.keep_alive);
  CHECK(parsed.head.count("content-length") == 0);
}
