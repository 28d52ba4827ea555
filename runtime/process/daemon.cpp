#include "runtime/process/daemon.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace hawser::process {
namespace {

// The child's one byte, or its end without one.
int await_report(int descriptor) {
  char byte = 0;
  ssize_t size;
  do {
    size = read(descriptor, &byte, 1);
  } while (size < 0 && errno == EINTR);
  return size == 1 ? 0 : 1;
}

void redirect_stdio() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) {
    if (null >= 0) dup2(null, standard);
  }
  if (null > 2) close(null);
}

}  // namespace

Daemon::~Daemon() {
  if (report_ >= 0) close(report_);
  if (terminal_ >= 0) close(terminal_);
}

std::optional<int> Daemon::enter(const std::string& pidfile, std::string_view program, Messages& messages) {
  int pid_descriptor = -1;
  if (!pidfile.empty()) {
    unlink(pidfile.c_str());
    pid_descriptor = open(pidfile.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (pid_descriptor < 0) {
      messages.alert(fmt::format("[{}.main()] Cannot create pidfile {}", program, pidfile));
      return 1;
    }
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    messages.alert(fmt::format("[{}.main()] Cannot fork: {}", program, std::strerror(errno)));
    return 1;
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) {
    close(ends[1]);
    if (pid_descriptor >= 0) close(pid_descriptor);
    if (child < 0) messages.alert(fmt::format("[{}.main()] Cannot fork: {}", program, std::strerror(errno)));
    const int status = child < 0 ? 1 : await_report(ends[0]);
    close(ends[0]);
    return status;
  }
  close(ends[0]);
  report_ = ends[1];
  setsid();
  terminal_ = fcntl(2, F_DUPFD_CLOEXEC, 3);
  if (terminal_ >= 0) messages.set_descriptor(terminal_);
  redirect_stdio();
  if (pid_descriptor >= 0) {
    dprintf(pid_descriptor, "%d\n", getpid());
    close(pid_descriptor);
  }
  return std::nullopt;
}

void Daemon::report_success(Messages& messages) {
  if (report_ < 0) return;
  messages.set_descriptor(2);
  if (terminal_ >= 0) close(terminal_);
  terminal_ = -1;
  const char byte = 1;
  while (write(report_, &byte, 1) < 0 && errno == EINTR) {
  }
  close(report_);
  report_ = -1;
}

}  // namespace hawser::process
