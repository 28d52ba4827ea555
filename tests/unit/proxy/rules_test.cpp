// Programs at their points: rules that answer, that wait, and the log line at the end.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/unit/proxy/rig.h"

namespace hawser::proxy::test {
namespace {

using abi::ActionId;
using abi::AliasId;
using abi::EntryPoint;
using abi::Op;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

Setup::Server at(const Origin& origin) { return {.name = "s1", .port = origin.port()}; }

// `a` is the register of load and redirect.
abi::Step step(Op op, std::uint16_t a, std::uint32_t b) {
  abi::Step made;
  made.op = op;
  made.b = b;
  (op == Op::load || op == Op::redirect ? made.reg : made.a) = a;
  return made;
}

Setup::Proxy::Entry entry(EntryPoint point, std::vector<abi::Step> steps, std::vector<std::string> texts,
                          std::vector<abi::Constant> constants) {
  Setup::Proxy::Entry made;
  made.point = point;
  made.steps = std::move(steps);
  made.texts = std::move(texts);
  made.constants = std::move(constants);
  return made;
}

abi::Constant constant(abi::Constant::Kind kind, std::uint32_t index) {
  abi::Constant made;
  made.kind = kind;
  made.index = index;
  return made;
}

Setup::ReplyRow error_page(std::uint16_t status) {
  abi::Reply row;
  row.status = status;
  row.error_page = true;
  return {row, ""};
}

// "answer with reply row 0"
Setup::Proxy::Entry answer_with_reply(EntryPoint point, ActionId action) {
  return entry(point, {step(Op::reply, static_cast<std::uint16_t>(action), 0)}, {},
               {constant(abi::Constant::Kind::reply, 0)});
}

TEST_CASE("a denied request gets the error page of its status, and the connection is kept") {
  Setup setup = Setup::http({});
  setup.replies.push_back(error_page(403));
  setup.front().entries.push_back(answer_with_reply(EntryPoint::http_request, ActionId::deny));
  Running proxy(setup);
  Wire client = proxy.connect();
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    CHECK(client.read_head() ==
          "HTTP/1.1 403 Forbidden\r\ncontent-length: 93\r\ncache-control: no-cache\r\ncontent-type: text/html\r\n\r\n");
    CHECK(client.read(93) ==
          "<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>\n");
  }
  client.send("HEAD /a HTTP/1.0\r\n\r\n");
  CHECK(client.read_all() ==
        "HTTP/1.1 403 Forbidden\r\ncontent-length: 93\r\ncache-control: no-cache\r\ncontent-type: "
        "text/html\r\nconnection: close\r\n\r\n");
}

TEST_CASE("a reply whose request has more body than came ends the connection, one whose body came does not") {
  Setup setup = Setup::http({});
  setup.replies.push_back(error_page(403));
  setup.front().entries.push_back(answer_with_reply(EntryPoint::http_request, ActionId::deny));
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(client.read_head().find("connection: close") == std::string::npos);
  client.read(93);
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  CHECK(client.read_head().find("connection: close") != std::string::npos);
  client.read(93);
  client.finish();
  CHECK(client.at_end());
}

TEST_CASE("an error file is sent as it stands before a request, and as a reply behind one") {
  Setup setup = Setup::http({});
  abi::Reply file;
  file.status = 503;
  file.raw = true;
  setup.replies.push_back(
      {file, "HTTP/1.0 503 Gone Fishing\r\nContent-Length: 4\r\nConnection: close\r\nX-A: b\r\n\r\nfish"});
  setup.back().row.errors[static_cast<std::size_t>(abi::ErrorSlot::e503)] = 1;
  setup.front().row.errors[static_cast<std::size_t>(abi::ErrorSlot::e400)] = 1;
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(client.read_head() == "HTTP/1.0 503 Gone Fishing\r\ncontent-length: 4\r\nx-a: b\r\n\r\n");
  CHECK(client.read(4) == "fish");
  client.finish();
  CHECK(client.at_end());  // the file says so
  Wire other = proxy.connect();
  other.send("nonsense\r\n\r\n");
  CHECK(other.read_all() ==
        "HTTP/1.0 503 Gone Fishing\r\nContent-Length: 4\r\nConnection: close\r\nX-A: b\r\n\r\nfish");
}

TEST_CASE("a redirection has haproxy's fields in haproxy's order") {
  Setup setup = Setup::http({});
  setup.redirects.push_back({});
  setup.front().entries.push_back(entry(EntryPoint::http_request, {step(Op::load, 0, 0), step(Op::redirect, 0, 1)},
                                        {"/x"}, {constant(abi::Constant::Kind::redirect, 0)}));
  Running proxy(setup);
  Wire client = proxy.connect();
  client.send(kGet);
  CHECK(client.read_head() ==
        "HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: /x\r\ncache-control: no-cache\r\n\r\n");
}

TEST_CASE("a program that is suspended goes on, in requests and responses") {
  Origin origin(answering(std::string(kOk)));
  Setup setup = Setup::http({at(origin)});
  for (const EntryPoint point : {EntryPoint::http_request, EntryPoint::choose_backend, EntryPoint::http_response}) {
    setup.front().entries.push_back(entry(point, {step(Op::test_suspend, 0, 0), step(Op::next, 0, 0)}, {"1"}, {}));
  }
  Running proxy(setup);
  Wire client = proxy.connect();
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    CHECK(client.read_head().substr(0, 15) == "HTTP/1.1 200 OK");
    client.read(2);
  }
}

// A datagram socket in a folder of its own.
class LogReader {
 public:
  LogReader() {
    char folder[] = "/tmp/hawser-log-XXXXXX";
    REQUIRE(::mkdtemp(folder) != nullptr);
    folder_ = folder;
    path_ = folder_ + "/log";
    const auto address = SocketAddress::unix_path(path_, false);
    descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    REQUIRE(::bind(descriptor_, &address->any, address->size) == 0);
    const timeval patience{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~LogReader() {
    ::close(descriptor_);
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }
  const char* path() const { return path_.c_str(); }
  std::string line() {
    char bytes[2048];
    const ssize_t count = ::recv(descriptor_, bytes, sizeof bytes, 0);
    std::string text(bytes, count < 0 ? 0 : static_cast<std::size_t>(count));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

 private:
  std::string folder_, path_;
  int descriptor_ = -1;
};

// "%b/%s %ST %B %U %tsc %rc %ac/%fc/%bc/%sc %r"
Setup::Proxy::Entry log_entry() {
  Setup::Proxy::Entry log = entry(EntryPoint::log, {step(Op::text_begin, 0, 0)}, {"/", " "}, {});
  const auto alias = [&](AliasId id, std::uint32_t then) {
    log.steps.push_back(step(Op::text_alias, static_cast<std::uint16_t>(id), 0));
    if (then < 2) log.steps.push_back(step(Op::text_constant, 0, then));
  };
  alias(AliasId::b, 0);
  alias(AliasId::s, 1);
  alias(AliasId::ST, 1);
  alias(AliasId::B, 1);
  alias(AliasId::U, 1);
  alias(AliasId::tsc, 1);
  alias(AliasId::rc, 1);
  alias(AliasId::ac, 0);
  alias(AliasId::fc, 0);
  alias(AliasId::bc, 0);
  alias(AliasId::sc, 1);
  alias(AliasId::r, 2);
  log.steps.push_back(step(Op::emit, 0, 0));
  return log;
}

Setup with_log(Setup setup, const LogReader& reader) {
  setup.log_path = reader.path();
  setup.front().row.log_format = abi::Proxy::LogFormat::program;
  setup.front().entries.push_back(log_entry());
  return setup;
}

TEST_CASE("log lines say how each request ended, with haproxy's counts") {
  struct {
    std::string_view request;
    std::string_view answer;  // of the server
    std::string_view line;
  } const cases[] = {
      {kGet, kOk, "back/s1 200 51 39 ---- 0 1/1/0/0 GET /a HTTP/1.1"},
      {kGet, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
       "back/s1 200 62 39 ---- 0 1/1/0/0 GET /a HTTP/1.1"},
      {kGet, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trail: z\r\n\r\n",
       "back/s1 200 70 39 ---- 0 1/1/0/0 GET /a HTTP/1.1"},
      {"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", kOk,
       "back/s1 200 51 58 ---- 0 1/1/0/0 POST /a HTTP/1.1"},
      {kGet, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", "back/s1 200 52 39 SD-- 0 1/1/0/0 GET /a HTTP/1.1"},
      {kGet, "", "back/s1 502 209 39 SH-- 0 1/1/0/0 GET /a HTTP/1.1"},
      {kGet, "hello\r\n\r\n", "back/s1 502 209 39 PH-- 0 1/1/0/0 GET /a HTTP/1.1"},
      {"GET a b\r\n\r\n", kOk, "front/<NOSRV> 400 0 0 PR-- 0 1/1/0/0 <BADREQ>"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.answer);
    LogReader log;
    Origin origin([&](Wire& wire, int) {
      wire.read_head();
      wire.send(one.answer);
    });
    Running proxy(with_log(Setup::http({at(origin)}), log));
    Wire client = proxy.connect();
    client.send(one.request);
    CHECK(log.line() == one.line);
  }
}

TEST_CASE("a client that ends within its request's body is left without an answer") {
  LogReader log;
  Origin origin([](Wire& wire, int) {
    wire.read_head();
    wire.read_all();
  });
  Running proxy(with_log(Setup::http({at(origin)}), log));
  Wire client = proxy.connect();
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  client.finish();
  CHECK(client.read_all() == "");
  CHECK(log.line() == "back/s1 -1 0 59 CL-- 0 1/1/0/0 POST /a HTTP/1.1");
}

TEST_CASE("a null connection is logged unless dontlognull, a partial request always") {
  for (const bool log_null : {true, false}) {
    LogReader log;
    Setup setup = with_log(Setup::http({}), log);
    setup.front().row.log_null_connections = log_null;
    Running proxy(setup);
    proxy.connect().finish();
    if (log_null) CHECK(log.line() == "front/<NOSRV> 400 0 0 CR-- 0 1/1/0/0 <BADREQ>");
    Wire partial = proxy.connect();
    partial.send("GET / HT");
    partial.finish();
    CHECK(log.line() == "front/<NOSRV> 400 0 0 CR-- 0 1/1/0/0 <BADREQ>");
  }
}

}  // namespace
}  // namespace hawser::proxy::test
