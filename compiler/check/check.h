// What can only be said of a configuration as a whole. Each check takes the configuration as it was read, reports
// what is wrong in HAProxy's words, and writes down what it found out for the stages that follow.
#pragma once

#include "compiler/keywords/context.h"

namespace hawser::compiler {

// In the order in which they run on each proxy.
void check_listeners(ReadContext& cx, const model::Proxy& proxy);
void check_log_style(ReadContext& cx, model::Proxy& proxy);
void resolve_backends(ReadContext& cx, model::Proxy& proxy);
void resolve_log_lines(ReadContext& cx, model::Proxy& proxy);
void check_timeouts(ReadContext& cx, const model::Proxy& proxy);
void check_server_names(ReadContext& cx, const model::Proxy& proxy);
void warn_of_buffer_fetches(ReadContext& cx, const model::Proxy& proxy);
void check_mode(ReadContext& cx, const model::Proxy& proxy);

// And once.
void settle_buffers(model::Global& global);

}  // namespace hawser::compiler
