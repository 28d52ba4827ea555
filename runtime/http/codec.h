// What turns bytes into messages and back (contract 6). HTTP/1 is one, and the tests have a fake one; nothing
// above knows which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/arena.h"
#include "runtime/base/bytes.h"
#include "runtime/http/head.h"

namespace hawser::http {

enum class Read : std::uint8_t {
  need_more,  // everything given was looked at, and the head is not complete
  complete,   // `consumed` bytes were the head
  malformed,  // answer `status`; `error` says why, `error_at` where
};

struct HeadResult {
  Read read = Read::need_more;
  std::size_t consumed = 0;  // of complete; of malformed, when the head was read to its end all the same
  std::uint16_t status = 0;  // of malformed: 400, 413 or 422 for a request, 502 for a response
  const char* error = "";
  std::size_t error_at = 0;
  BodyFraming body;
  bool keep_alive = false;   // the sender is willing to keep this connection (RFC 9112, 9.3)
  bool upgrade = false;      // a request with Connection: upgrade and Upgrade, or a 101
  bool close_asked = false;  // of a response: Connection: close
};

struct HeadLimits {
  std::size_t head_bytes_max = 16384 - 1024;  // tune.bufsize - tune.maxrewrite
  std::size_t fields_max = 100;               // tune.http.maxhdr - 1
};

// Body bytes out of a run of received bytes, without copying. Called again with the rest until all is consumed
// or the message is over.
struct BodyStep {
  std::size_t consumed = 0;    // of the input, framing included
  std::string_view payload{};  // inside the input
  bool done = false;           // the message is over: what follows is the next one
  bool malformed = false;
};

// Reads the messages of one direction of one connection.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // Looks at `bytes`: all that has been received of the head so far, contiguous. On `complete`, `head` holds views into
  // `arena`, hop-by-hop connection options are gone from its fields, and read_body() goes on behind it.
  virtual HeadResult read_head(std::string_view bytes, Arena& arena, Head& head, const HeadLimits& limits) noexcept = 0;
  virtual BodyStep read_body(std::string_view bytes) noexcept = 0;
  // Whether read_body() would find nothing wrong in `bytes`; nothing is consumed.
  virtual bool is_body_sound(std::string_view bytes) const noexcept = 0;
  // The stream ended: true when this is a proper end of the body (one that lasts until the close).
  virtual bool end_of_stream() noexcept = 0;
  // The fields behind a chunked body (RFC 9112, 7.1.2), once it is done; views live until reset().
  virtual std::span<const Field> trailers() const noexcept = 0;
  // For a response: what it answers decides whether it has a body (RFC 9112, 6.3).
  virtual void answers(Method method, bool upgrade) noexcept = 0;
  // The next message begins.
  virtual void reset() noexcept = 0;
};

// What the connection option of a written head says.
enum class ConnectionOption : std::uint8_t { none, close, keep_alive };

// How a message leaves whose fields rules have changed.
struct SettledFraming {
  BodyFraming body;               // as it is written
  bool keeps = true;              // the connection may carry another message behind it
  bool impossible = false;        // its fields promise less than its body has
  bool announce_chunked = false;  // for write_request() and write_response()
};

// Writes the messages of one direction of one connection.
class MessageWriter {
 public:
  virtual ~MessageWriter() = default;
  // Brings the fields of framing in line with a body that comes as `source`, which they need not be once rules had them.
  virtual SettledFraming settle_request(Head&, Arena&, const BodyFraming& source) noexcept { return {.body = source}; }
  virtual SettledFraming settle_response(Head&, Arena&, const BodyFraming& source) noexcept { return {.body = source}; }
  virtual void write_request(Bytes& out, const Head& head, ConnectionOption option, bool announce_chunked) noexcept = 0;
  virtual void write_response(Bytes& out, const Head& head, ConnectionOption option,
                              bool announce_chunked) noexcept = 0;
  // The framing around a run of payload of `size` > 0 bytes, in the body of the last head written: chunked bodies have
  // some, others none. At most kBodyFramingMax bytes each; returns how many.
  virtual std::size_t before_payload(const BodyFraming& body, std::size_t size, char* out) noexcept = 0;
  virtual std::size_t after_payload(const BodyFraming& body, char* out) noexcept = 0;
  // The end of a body, with its trailers.
  virtual void write_end(Bytes& out, const BodyFraming& body, std::span<const Field> trailers) noexcept = 0;
};

inline constexpr std::size_t kBodyFramingMax = 20;  // 16 digits of a size, and a line end

}  // namespace hawser::http
