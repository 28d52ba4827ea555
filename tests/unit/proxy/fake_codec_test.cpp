// A protocol that is not HTTP/1, through the same sessions, exchanges and links: nothing above the codec knows
// which one is spoken.
//
//   request   "GET /path SIZE|" and SIZE bytes         response   "STATUS SIZE|" and SIZE bytes
#include <algorithm>
#include <charconv>

#include "tests/unit/proxy/sim_world.h"

namespace hawser::proxy::test {
namespace {

using namespace http;

class FakeReader final : public MessageReader {
 public:
  explicit FakeReader(bool requests) : requests_(requests) {}
  HeadResult read_head(std::string_view bytes, Arena& arena, Head& head, const HeadLimits&) noexcept override {
    HeadResult result;
    const std::size_t end = bytes.find('|');
    if (end == std::string_view::npos) return result;
    head.clear();
    std::string_view line = arena.copy(bytes.substr(0, end));
    head.start_line = line;
    const std::string_view first = next_word(line);
    if (requests_) {
      head.method = first;
      head.method_id = parse_method(first);
      head.target = head.path = next_word(line);
    } else {
      std::from_chars(first.begin(), first.end(), head.status);
    }
    const std::string_view size = next_word(line);
    result.read = std::from_chars(size.begin(), size.end(), left_).ec == std::errc() ? Read::complete : Read::malformed;
    result.consumed = end + 1;
    result.body = {BodyKind::length, left_};
    result.keep_alive = true;
    return result;
  }
  BodyStep read_body(std::string_view bytes) noexcept override {
    const std::size_t take = std::min<std::size_t>(left_, bytes.size());
    left_ -= take;
    return {.consumed = take, .payload = bytes.substr(0, take), .done = left_ == 0};
  }
  bool is_body_sound(std::string_view) const noexcept override { return true; }
  bool end_of_stream() noexcept override { return false; }
  std::span<const Field> trailers() const noexcept override { return {}; }
  void answers(Method, bool) noexcept override {}
  void reset() noexcept override { left_ = 0; }

 private:
  static std::string_view next_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
  }
  bool requests_;
  std::size_t left_ = 0;
};

// The size of a message stands in its own field here, which a reader of HTTP/1 would not leave to the writer.
class FakeWriter final : public MessageWriter {
 public:
  void write_request(Bytes& out, const Head& head, ConnectionOption, bool) noexcept override {
    out.append(head.start_line);
    out.append("|");
  }
  void write_response(Bytes& out, const Head& head, ConnectionOption, bool) noexcept override {
    if (!head.start_line.empty()) {
      out.append(head.start_line);
    } else {
      out.append(std::to_string(head.status) + " " + std::string(head.find("content-length")->value));
    }
    out.append("|");
  }
  std::size_t before_payload(const BodyFraming&, std::size_t, char*) noexcept override { return 0; }
  std::size_t after_payload(const BodyFraming&, char*) noexcept override { return 0; }
  void write_end(Bytes&, const BodyFraming&, std::span<const Field>) noexcept override {}
};

MessageWriter& fake_writer() {
  static FakeWriter writer;
  return writer;
}

constexpr Codec kFake{
    .name = "fake",
    .make_request_reader = [] { return std::unique_ptr<MessageReader>(new FakeReader(true)); },
    .make_response_reader = [] { return std::unique_ptr<MessageReader>(new FakeReader(false)); },
    .writer = fake_writer,
};

TEST_CASE("another codec than HTTP/1 carries requests, bodies and replies of our own") {
  Setup setup = Setup::http({{.name = "s1", .port = 8080}});
  setup.back().row.retries = 0;
  World world(7, setup);
  world.worker->core.codec = &kFake;
  constexpr std::size_t kRequestBytes = std::string_view("PUT /abc 5|hello").size();
  std::string seen;
  world.simulation.serve(SocketAddress::ip(IpAddress::v4(0x7f000001), 8080), [&](io::SimPeer& peer) {
    peer.on_event = [&](io::SimPeer& origin) {
      seen += origin.take();
      while (seen.size() >= kRequestBytes) {
        origin.send("200 5|" + seen.substr(kRequestBytes - 5, 5));
        seen.erase(0, kRequestBytes);
      }
    };
  });
  io::SimPeer& client = world.simulation.connect_to(world.front);
  client.send("PUT /abc 5|helloPUT /def 5|");
  client.send("world", 3);
  CHECK(world.run_until([&] { return client.received().size() >= 22 || client.ended(); }));
  CHECK(client.received() == "200 5|hello200 5|world");
  world.finish();
}

TEST_CASE("an error page is written by the codec of the client") {
  Setup setup = Setup::http({});
  World world(3, setup);
  world.worker->core.codec = &kFake;
  io::SimPeer& client = world.simulation.connect_to(world.front);
  client.send("GET /abc 0|");
  CHECK(world.run_until([&] { return client.received().size() >= 100; }));
  CHECK(client.received().substr(0, 20) == "503 107|<html><body>");
  world.finish();
}

}  // namespace
}  // namespace hawser::proxy::test
