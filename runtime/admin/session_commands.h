// Commands about the client's own connection to the command socket: its level and its timeout.
#pragma once

#include "runtime/admin/answer.h"

namespace hawser::admin {

// `operator`, `user`: from now on the client may do no more than that. It cannot raise its level.
std::unique_ptr<Answer> lower_level(Session& session, abi::AccessLevel level);
// `show cli level`
std::unique_ptr<Answer> answer_level(const Session& session);
// `set timeout cli DELAY`: in seconds, or with a unit.
std::unique_ptr<Answer> set_timeout(const Command& command, Session& session);

// "user", "operator", "admin".
std::string_view level_name(abi::AccessLevel level);

}  // namespace hawser::admin
