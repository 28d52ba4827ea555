// Writes HTTP/1 messages.
#pragma once

#include "runtime/http/codec.h"
#include "runtime/http/h1/settle.h"

namespace hawser::http::h1 {

// Names leave in lower case, as haproxy's do. Responses keep the version of their sender (haproxy 2.6 does the
// same); whoever makes a head of our own sets version_minor.
class Writer final : public MessageWriter {
 public:
  SettledFraming settle_request(Head& head, Arena& arena, const BodyFraming& source) noexcept override {
    return h1::settle_request(head, arena, source);
  }
  SettledFraming settle_response(Head& head, Arena& arena, const BodyFraming& source) noexcept override {
    return h1::settle_response(head, arena, source);
  }
  void write_request(Bytes& out, const Head& head, ConnectionOption option, bool announce_chunked) noexcept override;
  void write_response(Bytes& out, const Head& head, ConnectionOption option, bool announce_chunked) noexcept override;
  std::size_t before_payload(const BodyFraming& body, std::size_t size, char* out) noexcept override;
  std::size_t after_payload(const BodyFraming& body, char* out) noexcept override;
  void write_end(Bytes& out, const BodyFraming& body, std::span<const Field> trailers) noexcept override;
};

}  // namespace hawser::http::h1
