#include "runtime/process/privileges.h"

#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>

#include <fmt/format.h>

namespace hawser::process {

bool drop_privileges(abi::ImageView image, std::string_view program, Messages& messages) {
  const abi::Global& global = image.root<abi::Plan>().global;
  const auto refuse = [&](std::string_view text) {
    messages.alert(fmt::format("[{}.main()] {}", program, text));
    return false;
  };
  if (global.chroot.size != 0) {
    const std::string root(image.text(global.chroot));
    if (chroot(root.c_str()) != 0 || chdir("/") != 0) return refuse(fmt::format("Cannot chroot({}).", root));
  }
  // Without root there are no groups to drop, and setgid or setuid tell whether that is a problem.
  if ((global.gid != 0 || global.uid != 0) && geteuid() == 0) setgroups(0, nullptr);
  if (global.gid != 0 && getegid() != global.gid && setgid(global.gid) != 0) {
    return refuse(fmt::format("Cannot set gid {}.", global.gid));
  }
  if (global.uid != 0 && geteuid() != global.uid && setuid(global.uid) != 0) {
    return refuse(fmt::format("Cannot set uid {}.", global.uid));
  }
  // Changing the user has forbidden core files.
  if (global.dumpable) prctl(PR_SET_DUMPABLE, 1);
  return true;
}

}  // namespace hawser::process
