// The framing of a message whose fields rules may have changed.
#pragma once

#include "runtime/http/codec.h"

namespace hawser::http::h1 {

// What a message with this head can be framed by, when its body came framed by `source`. As haproxy 2.6 does it: fields that
// say nothing sound are taken out, a body that nothing frames is announced as chunked, and where two frames are named the
// connection ends behind the message, as it does where a rule says `connection: close`. Where haproxy would leave two
// readers of different minds about where the message ends, the connection ends, too, and of two frames the length goes
// (tests/conformance/http1/framing.cases).
SettledFraming settle_request(Head& head, Arena& arena, const BodyFraming& source) noexcept;
SettledFraming settle_response(Head& head, Arena& arena, const BodyFraming& source) noexcept;

}  // namespace hawser::http::h1
