// Giving up what only the start needs: the file system outside of the chroot, and root.
#pragma once

#include <string_view>

#include "runtime/abi/plan.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// chroot, then the supplementary groups, gid and uid, as far as the Plan names them. False after an alert.
bool drop_privileges(abi::ImageView plan, std::string_view program, Messages& messages);

}  // namespace hawser::process
