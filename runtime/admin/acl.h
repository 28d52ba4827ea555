// `show|get|add|del|clear|prepare|commit acl`: looks at pattern sets, and changes them while traffic flows.
#pragma once

#include <memory>

#include "runtime/admin/answer.h"

namespace hawser::admin {

std::unique_ptr<Answer> answer_show_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_get_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_add_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_del_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_clear_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_prepare_acl(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_commit_acl(const Subject& subject, const Command& command);

}  // namespace hawser::admin
