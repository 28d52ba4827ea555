// The bodies of HTTP/1 messages: of a known length, chunked, or until the connection ends (RFC 9112, 6 and 7).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/codec.h"

namespace hawser::http::h1 {

inline constexpr std::size_t kChunkLineBytesMax = 4096;  // a chunk's size with its extensions
inline constexpr std::size_t kTrailerBytesMax = 8192;

class BodyReader {
 public:
  void begin(const BodyFraming& framing) noexcept;
  BodyStep read(std::string_view bytes) noexcept;
  bool done() const noexcept { return step_ == Step::done; }
  // The stream ended here: was that the end of the body?
  bool end_of_stream() const noexcept { return step_ == Step::until_close || step_ == Step::done; }
  std::span<const Field> trailers() const noexcept { return trailers_; }

 private:
  //  size -> blanks -> extension -> size_end -> payload -> payload_end -> size …
  //    (0) --------------> trailers -> done
  enum class Step : std::uint8_t {
    done,
    counted,
    until_close,
    chunk_size,
    chunk_blanks,
    chunk_extension,
    chunk_size_end,
    payload,
    payload_cr,
    payload_lf,
    trailers
  };
  BodyStep read_chunked(std::string_view bytes) noexcept;
  bool read_size(char c) noexcept;     // false: malformed
  bool read_trailer(char c) noexcept;  // false: malformed
  bool end_trailer_line(std::size_t end_bytes) noexcept;
  bool continue_trailer(std::size_t end_bytes) noexcept;
  void size_line_over() noexcept;
  void finish_trailers();

  Step step_ = Step::done;
  bool size_seen_ = false;
  std::uint64_t left_ = 0;  // of the body, or of the chunk
  std::size_t line_bytes_ = 0;
  std::size_t fold_bytes_ = 0;  // of the line end that a folded trailer line would stand behind
  std::string trailer_text_;    // "name\0value\0" …, empty in nearly every message
  std::string trailer_line_;
  std::vector<Field> trailers_;
};

}  // namespace hawser::http::h1
