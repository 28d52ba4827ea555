// What an Operation in flight does, as the rings keep it in Operation::ring.kind.
#pragma once

#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/io/ring.h"

namespace hawser::io {

enum class OperationKind : std::uint8_t { none, accept, receive, send, connect, poll };

inline OperationKind kind_of(const Operation& operation) noexcept {
  return static_cast<OperationKind>(operation.ring.kind);
}

// Marks the operation as in flight with everything of the ring's own reset. One that is in flight already is our mistake: the
// kernel still writes into what belongs to it.
inline void begin(Operation& operation, OperationKind kind, Descriptor descriptor) noexcept {
  HAWSER_CHECK(!operation.in_flight);
  operation.in_flight = true;
  operation.ring = {};
  operation.ring.kind = static_cast<std::uint8_t>(kind);
  operation.ring.descriptor = descriptor;
}

}  // namespace hawser::io
