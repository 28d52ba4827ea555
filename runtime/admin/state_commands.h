// Commands that look at, or set back, what the process holds beside its statistics: sockets, environment, backends,
// servers' connections, variables, counters.
#pragma once

#include "runtime/admin/answer.h"

namespace hawser::admin {

std::unique_ptr<Answer> answer_sockets(const Subject& subject);                           // show cli sockets
std::unique_ptr<Answer> answer_environment(const Command& command);                       // show env [NAME]
std::unique_ptr<Answer> answer_backends(const Subject& subject);                          // show backend
std::unique_ptr<Answer> answer_variable(const Subject& subject, const Command& command);  // get var NAME

// `clear counters [all]`: the highest counts, or (admin) all that has grown, of each proxy and server.
std::unique_ptr<Answer> clear_counters(const Subject& subject, const Command& command, const Session& session);

}  // namespace hawser::admin
