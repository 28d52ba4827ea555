#include "runtime/http/h1/body.h"

#include <algorithm>

#include "runtime/http/h1/chars.h"

namespace hawser::http::h1 {

void BodyReader::begin(const BodyFraming& framing) noexcept {
  left_ = framing.length;
  size_seen_ = false;
  line_bytes_ = 0;
  if (!trailer_text_.empty()) trailer_text_.clear();
  if (!trailer_line_.empty()) trailer_line_.clear();
  trailers_.clear();
  switch (framing.kind) {
    case BodyKind::none: step_ = Step::done; break;
    case BodyKind::length: step_ = framing.length == 0 ? Step::done : Step::counted; break;
    case BodyKind::chunked:
      step_ = Step::chunk_size;
      left_ = 0;
      break;
    case BodyKind::until_close:
    case BodyKind::tunnel: step_ = Step::until_close; break;
  }
}

BodyStep BodyReader::read(std::string_view bytes) noexcept {
  switch (step_) {
    case Step::done: return {.done = true};
    case Step::until_close: return {.consumed = bytes.size(), .payload = bytes};
    case Step::counted: {
      const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= take;
      if (left_ == 0) step_ = Step::done;
      return {.consumed = take, .payload = bytes.substr(0, take), .done = left_ == 0};
    }
    default: return read_chunked(bytes);
  }
}

// Goes through framing until there is payload to hand out, the input is used up, or the body is over.
BodyStep BodyReader::read_chunked(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (step_ == Step::payload) {
      const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - at));
      left_ -= take;
      if (left_ == 0) step_ = Step::payload_cr;
      return {.consumed = at + take, .payload = bytes.substr(at, take)};
    }
    const char c = bytes[at++];
    bool sound = true;
    switch (step_) {
      case Step::chunk_size: sound = read_size(c); break;
      case Step::chunk_blanks:
        if (is_blank(c)) {
          sound = ++line_bytes_ <= kChunkLineBytesMax;
          break;
        }
        sound = c == ';' || c == '\r' || c == '\n';
        step_ = c == ';' ? Step::chunk_extension : Step::chunk_size_end;
        if (c == '\n') size_line_over();
        break;
      case Step::chunk_extension:
        sound = c != '\0' && ++line_bytes_ <= kChunkLineBytesMax;
        if (c == '\r') step_ = Step::chunk_size_end;
        if (c == '\n') size_line_over();
        break;
      case Step::chunk_size_end:
        sound = c == '\n';
        if (sound) size_line_over();
        break;
      case Step::payload_cr:  // haproxy 2.6 takes a bare LF here too
        sound = c == '\r' || c == '\n';
        step_ = c == '\r' ? Step::payload_lf : Step::chunk_size;
        break;
      case Step::payload_lf:
        sound = c == '\n';
        step_ = Step::chunk_size;
        break;
      case Step::trailers: sound = read_trailer(c); break;
      default: sound = false; break;
    }
    if (!sound) return {.consumed = at, .malformed = true};
    if (step_ == Step::done) return {.consumed = at, .done = true};
  }
  return {.consumed = at};
}

// 1*HEXDIG, blanks, and extensions behind ';' (RFC 9112, 7.1).
bool BodyReader::read_size(char c) noexcept {
  if (++line_bytes_ > kChunkLineBytesMax) return false;
  if (const int digit = hex_value(c); digit >= 0) {
    if (left_ >> 48 != 0) return false;  // at most 52 bits, as haproxy 2.6
    left_ = left_ << 4 | static_cast<std::uint64_t>(digit);
    size_seen_ = true;
    return true;
  }
  if (!size_seen_) return false;
  if (c == '\r') {
    step_ = Step::chunk_size_end;
  } else if (c == '\n') {
    size_line_over();
  } else if (c == ';' || is_blank(c)) {
    step_ = c == ';' ? Step::chunk_extension : Step::chunk_blanks;
  } else {
    return false;
  }
  return true;
}

void BodyReader::size_line_over() noexcept {
  step_ = left_ == 0 ? Step::trailers : Step::payload;
  size_seen_ = false;
  line_bytes_ = 0;
}

bool BodyReader::read_trailer(char c) noexcept {
  if (trailer_text_.size() + trailer_line_.size() >= kTrailerBytesMax) return false;
  if (c != '\n') {
    trailer_line_.push_back(c);
    return true;
  }
  const bool has_cr = !trailer_line_.empty() && trailer_line_.back() == '\r';
  if (has_cr) trailer_line_.pop_back();
  if (trailer_line_.empty()) {
    finish_trailers();
    step_ = Step::done;
    return true;
  }
  return end_trailer_line(has_cr ? 2 : 1);
}

// A folded line (RFC 9112, 5.2) goes on with the value before it, behind as many blanks as its line end had bytes.
bool BodyReader::continue_trailer(std::size_t end_bytes) noexcept {
  if (trailer_text_.empty()) return false;
  trailer_text_.pop_back();
  trailer_text_.append(fold_bytes_, ' ');
  trailer_text_.append(trailer_line_);
  while (is_blank(trailer_text_.back())) trailer_text_.pop_back();
  trailer_text_.push_back('\0');
  fold_bytes_ = end_bytes;
  const bool sound = trailer_line_.find('\0') == std::string::npos && trailer_line_.find('\r') == std::string::npos;
  trailer_line_.clear();
  return sound;
}

namespace {

// Fields of framing mean nothing behind a body; where they are wrong, haproxy 2.6 refuses them all the same.
bool is_sound_trailer(std::string_view name, std::string_view value) noexcept {
  if (name == "transfer-encoding") return equal_ignoring_case(value, "chunked");
  return name != "content-length" || (!value.empty() && std::all_of(value.begin(), value.end(), is_digit));
}

}  // namespace

// NAME ':' OWS VALUE OWS, as in a head.
bool BodyReader::end_trailer_line(std::size_t end_bytes) noexcept {
  if (is_blank(trailer_line_.front())) return continue_trailer(end_bytes);
  fold_bytes_ = end_bytes;
  const std::size_t colon = trailer_line_.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  for (std::size_t i = 0; i < colon; ++i) {
    if (!is_token(trailer_line_[i])) return false;
    trailer_text_.push_back(to_lower(trailer_line_[i]));
  }
  const std::size_t name_at = trailer_text_.size() - colon;
  trailer_text_.push_back('\0');
  std::string_view value = std::string_view(trailer_line_).substr(colon + 1);
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  if (value.find('\0') != std::string_view::npos || value.find('\r') != std::string_view::npos) return false;
  if (!is_sound_trailer(std::string_view(trailer_text_).substr(name_at, colon), value)) return false;
  trailer_text_.append(value);
  trailer_text_.push_back('\0');
  trailer_line_.clear();
  return true;
}

void BodyReader::finish_trailers() {
  std::string_view rest = trailer_text_;
  while (!rest.empty()) {
    const std::size_t name = rest.find('\0');
    const std::size_t value = rest.find('\0', name + 1);
    trailers_.push_back({rest.substr(0, name), rest.substr(name + 1, value - name - 1)});
    rest.remove_prefix(value + 1);
  }
}

}  // namespace hawser::http::h1
