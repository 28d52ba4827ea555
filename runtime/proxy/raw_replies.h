// Error files: whole HTTP/1 replies, which are read once and then sent like any other.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "runtime/base/arena.h"
#include "runtime/http/codec.h"

namespace hawser::proxy {

struct RawReply {
  http::Head head;
  http::HeadResult result;
  std::string_view body;
};

// Those of one worker that were sent before, by their row of Plan::replies.
class RawReplies {
 public:
  // Null when `text` is no reply; it lives as long as this.
  const RawReply* read(std::uint32_t row, std::string_view text) noexcept;

 private:
  std::map<std::uint32_t, RawReply> replies_;
  Arena arena_{512};
};

}  // namespace hawser::proxy
