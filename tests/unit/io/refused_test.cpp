// Where the system refuses io_uring, as containers' seccomp profiles do, the epoll ring takes over.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>

#include "tests/unit/io/rings.h"

using namespace hawser;
using namespace hawser::io;
using namespace hawser::io::test;

namespace {

bool deny(long system_call, int code) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(code)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// 0: bytes went through a ring that is epoll's, and io_uring, asked for by name, was refused with a reason.
int use_ring() {
  if (make_ring({.kind = RingKind::uring}).ok()) return 2;
  if (make_ring({.kind = RingKind::uring}).error().message.empty()) return 3;
  Result<std::unique_ptr<Ring>> made = make_ring({});
  if (!made.ok()) return 4;
  Ring& ring = **made;
  if (ring.name() != "epoll") return 5;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 6;
  Probe receive(ring), send(ring);
  const iovec vector{const_cast<char*>("hello"), 5};
  ring.receive(receive, ends[0]);
  ring.send(send, ends[1], {&vector, 1});
  for (int turns = 0; turns < 100 && receive.bytes != "hello"; ++turns) ring.turn(1000);
  ring.cancel(receive);
  for (int turns = 0; turns < 100 && receive.in_flight; ++turns) ring.turn(1000);
  return receive.bytes == "hello" ? 0 : 7;
}

}  // namespace

TEST_CASE("the epoll ring serves under a filter that denies io_uring") {
  unsetenv("HAWSER_RING");
  for (const long system_call : {SYS_io_uring_setup, SYS_io_uring_register, SYS_io_uring_enter}) {
    for (const int code : {EPERM, ENOSYS}) {
      CAPTURE(system_call);
      CAPTURE(code);
      const pid_t child = fork();
      REQUIRE(child >= 0);
      if (child == 0) _exit(deny(system_call, code) ? use_ring() : 1);
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      REQUIRE(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 0);
    }
  }
}
