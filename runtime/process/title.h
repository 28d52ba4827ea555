// How a process is called in lists of processes.
#pragma once

namespace hawser::process {

// `name`: as top and killall see it, at most 15 bytes. `words`: in the place of the command line, cut to its length.
void set_title(const char* name, const char* words) noexcept;

}  // namespace hawser::process
