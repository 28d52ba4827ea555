// What a message head counts in %B, %U and the byte counters. HAProxy counts its own form of a message, not the
// bytes on the wire; its log lines are compared, so we count as it does (measured with 2.6.12): 20 for the start
// line, 1 for the end of the head, and the bytes of the parts without what separates them.
#pragma once

#include <cstdint>

#include "runtime/http/head.h"

namespace hawser::proxy {

inline std::uint64_t fields_bytes(const http::Head& head) noexcept {
  std::uint64_t sum = 0;
  for (const http::Field& field : head.fields) {
    if (!field.removed) sum += field.name.size() + field.value.size();
  }
  return sum;
}

inline std::uint64_t request_bytes(const http::Head& head) noexcept {
  return 20 + head.method.size() + head.target.size() + 8 + fields_bytes(head) + 1;
}

inline std::uint64_t response_bytes(const http::Head& head) noexcept {
  return 20 + 8 + 3 + head.reason.size() + fields_bytes(head) + 1;
}

// Of a response as it was received: the reader takes the framing out of a 204, haproxy does so when it writes it.
inline std::uint64_t received_response_bytes(const http::Head& head) noexcept {
  std::uint64_t sum = response_bytes(head);
  for (const http::Field& field : head.fields) {
    const bool framing = field.name == "content-length" || field.name == "transfer-encoding";
    if (head.status == 204 && field.removed && framing) sum += field.name.size() + field.value.size();
  }
  return sum;
}

}  // namespace hawser::proxy
