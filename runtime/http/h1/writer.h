// Writes HTTP/1 messages.
#pragma once

#include "runtime/http/codec.h"

namespace hawser::http::h1 {

// Names leave in lower case, as haproxy's do. Responses keep the version of their sender (haproxy 2.6 does the
// same); whoever makes a head of our own sets version_minor.
class Writer final : public MessageWriter {
 public:
  void write_request(Bytes& out, const Head& head, ConnectionOption option) noexcept override;
  void write_response(Bytes& out, const Head& head, ConnectionOption option) noexcept override;
  std::size_t before_payload(const BodyFraming& body, std::size_t size, char* out) noexcept override;
  std::size_t after_payload(const BodyFraming& body, char* out) noexcept override;
  void write_end(Bytes& out, const BodyFraming& body, std::span<const Field> trailers) noexcept override;
};

}  // namespace hawser::http::h1
