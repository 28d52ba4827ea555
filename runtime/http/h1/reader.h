// Reads HTTP/1.0 and 1.1 messages (RFC 9112), with haproxy 2.6's choices where the RFC leaves them.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/http/codec.h"
#include "runtime/http/h1/body.h"

namespace hawser::http::h1 {

// What requests and responses share: finding the end of a head without looking at a byte twice, and bodies.
class Reader : public MessageReader {
 public:
  BodyStep read_body(std::string_view bytes) noexcept override { return body_.read(bytes); }
  bool is_body_sound(std::string_view bytes) const noexcept override;
  bool end_of_stream() noexcept override { return body_.end_of_stream(); }
  std::span<const Field> trailers() const noexcept override { return body_.trailers(); }
  void answers(Method, bool) noexcept override {}
  void reset() noexcept override { seen_ = 0; }

 protected:
  // The size of the head with its empty line, 0 while it is not complete. `bytes` begins as in the call before.
  std::size_t find_end(std::string_view bytes) noexcept;

  BodyReader body_;

 private:
  std::size_t seen_ = 0;  // all line ends before this have been looked at
};

class RequestReader final : public Reader {
 public:
  HeadResult read_head(std::string_view bytes, Arena& arena, Head& head, const HeadLimits& limits) noexcept override;
  void reset() noexcept override {
    Reader::reset();
    line_judged_ = false;
  }

 private:
  const char* judge_request_line(std::string_view bytes) noexcept;
  bool line_judged_ = false;
};

class ResponseReader final : public Reader {
 public:
  HeadResult read_head(std::string_view bytes, Arena& arena, Head& head, const HeadLimits& limits) noexcept override;
  void answers(Method method, bool upgrade) noexcept override {
    method_ = method;
    upgrade_asked_ = upgrade;
  }

 private:
  Method method_ = Method::get;
  bool upgrade_asked_ = false;
};

}  // namespace hawser::http::h1
