// What turns bytes into messages and back (contract 6). HTTP/1 is one, TCP another, and the tests have a
// fake one; nothing above knows which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/arena.h"
#include "runtime/http/head.h"

namespace hawser::http {

enum class Read : std::uint8_t {
  need_more,   // everything given was looked at, and the head is not complete
  complete,    // `consumed` bytes were the head
  malformed,   // 400 (request) or 502 (response); `error` says why
  too_large,   // over the limit of fields, or of bytes
  version,     // not an HTTP/1 version
};

struct HeadResult {
  Read read = Read::need_more;
  std::size_t consumed = 0;
  const char* error = "";
  BodyFraming body;
  bool keep_alive = false;         // the sender is willing to keep this connection (RFC 9112, 9.3)
  bool upgrade = false;            // 101, or a request with Upgrade and Connection: upgrade
  bool expect_continue = false;
  std::size_t error_at = 0;
};

struct HeadLimits {
  std::size_t head_bytes_max = 16384 - 1024;  // tune.bufsize - tune.maxrewrite
  std::size_t fields_max = 100;               // tune.http.maxhdr - 1
};

// Body bytes out of a run of received bytes, without copying. Call until `consumed` is the run's size or `done`.
struct BodyStep {
  std::size_t consumed = 0;   // of the input, framing included
  std::string_view payload;   // inside the input
  bool done = false;          // the message is over
  bool malformed = false;
};

// Reads the messages of one direction of one connection.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // Looks at `bytes`, the whole of what has been received of the head so far, contiguous. On `complete`, `head`
  // holds views into `arena`.
  virtual HeadResult read_head(std::string_view bytes, Arena& arena, Head& head, const HeadLimits& limits) noexcept = 0;
  virtual BodyStep read_body(std::string_view bytes) noexcept = 0;
  // The next message begins.
  virtual void reset() noexcept = 0;
};

}  // namespace hawser::http
