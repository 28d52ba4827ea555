// Moves a message's body from one connection to another without copying: the payload out of the framing of the
// one codec, into the framing of the other.
#pragma once

#include <cstdint>

#include "runtime/http/codec.h"
#include "runtime/proxy/transport.h"

namespace hawser::proxy {

class BodyPump {
 public:
  // `framing` is the source's, and the target's too unless reframe() says otherwise.
  void begin(const http::BodyFraming& framing, http::MessageReader& reader, http::MessageWriter& writer) noexcept;
  void reset() noexcept { *this = BodyPump(); }
  // The target's framing is another. A length is a promise: a body that goes beyond it is malformed, one that stays behind
  // fell_short(). Of a body that is done before it begins, whoever writes the head writes the end.
  void reframe(const http::BodyFraming& target) noexcept;

  // Moves what the source has received, as far as the target's output stays under `unsent_max`. Queues, does not flush.
  void run(Transport& source, Transport& target, ChunkPool& chunks, std::size_t unsent_max) noexcept;
  // Takes the body out of the source's input and drops it.
  void discard(Transport& source) noexcept;
  // The source ended: true when this is how the body ends.
  bool end_of_stream(Transport& target, ChunkPool& chunks) noexcept;

  bool done() const noexcept { return done_; }
  bool malformed() const noexcept { return malformed_; }
  bool fell_short() const noexcept { return promised_ && promise_left_ != 0; }
  const http::BodyFraming& framing() const noexcept { return framing_; }
  const http::BodyFraming& target() const noexcept { return target_; }
  // Bytes moved since the last call, as haproxy counts them: the payload, and 1 for the end of a chunked body.
  std::uint64_t take_moved() noexcept { return std::exchange(moved_, 0); }

 private:
  void count(const http::BodyStep& step) noexcept;
  void write_end(Transport& target, ChunkPool& chunks) noexcept;

  http::BodyFraming framing_;
  http::BodyFraming target_;
  http::MessageReader* reader_ = nullptr;
  http::MessageWriter* writer_ = nullptr;
  std::uint64_t moved_ = 0;
  std::uint64_t promise_left_ = 0;
  bool promised_ = false;
  bool done_ = false;
  bool malformed_ = false;
};

}  // namespace hawser::proxy
