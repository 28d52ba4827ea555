#include "runtime/process/version.h"

#include <sys/utsname.h>

#include <thread>

#include <fmt/format.h>

namespace hawser::process {

std::string version_text() {
  utsname system{};
  uname(&system);
  return fmt::format(
      "Hawser version {} - a compiler and runtime for HAProxy configuration files\n"
      "HAProxy version {} compatible (HAProxy compatibility : {})\n"
      "Running on: {} {} {} {}\n",
      kVersion, kCompatibleVersion, kCompatibleVersion, system.sysname, system.release, system.version, system.machine);
}

// Tools look for these lines: the third word of "HAProxy version", TARGET, "Feature list", the TLS library,
// "Available services". What stands with a '+' is what hawser carries out.
std::string version_long_text() {
  return version_text() +
         fmt::format(
             "Build options :\n"
             "  TARGET  = linux-glibc\n"
             "  CC      = {}\n"
             "\n"
             "Feature list : -51DEGREES +ACCEPT4 -BACKTRACE -CPU_AFFINITY -CRYPT_H -DEVICEATLAS -DL -ENGINE +EPOLL "
             "-EVPORTS +GETADDRINFO +IO_URING -KQUEUE -LIBCRYPT -LINUX_CAP -LINUX_SPLICE -LINUX_TPROXY -LUA "
             "-MATH -MEMORY_PROFILING -NETFILTER -NS -OBSOLETE_LINKER -OPENSSL -OPENSSL_AWSLC -OPENSSL_WOLFSSL -OT "
             "-PCRE +PCRE2 +PCRE2_JIT -PCRE_JIT -POLL -PRCTL -PROCCTL -PROMEX -PTHREAD_EMULATION -QUIC "
             "-QUIC_OPENSSL_COMPAT -RT -SLZ -SSL -STATIC_PCRE -STATIC_PCRE2 -SYSTEMD -TFO +THREAD -THREAD_DUMP "
             "-TPROXY -WURFL -ZLIB\n"
             "\n"
             "Default settings :\n"
             "  bufsize = 16384, maxrewrite = 1024\n"
             "\n"
             "Built with multi-threading support (MAX_THREADS=64, default={}).\n"
             "Running on SSL library version : none\n"
             "\n"
             "Available polling systems :\n"
             "   io_uring : preferred\n"
             "      epoll : where io_uring is refused, or HAWSER_RING=epoll\n"
             "\n"
             "Available multiplexer protocols :\n"
             "         h1 : mode=HTTP  side=FE|BE\n"
             "       none : mode=TCP   side=FE|BE\n"
             "\n"
             "Available services : none\n"
             "Available filters : none\n",
             __VERSION__, std::thread::hardware_concurrency());
}

std::string usage_text(std::string_view program) {
  return fmt::format(
      "Usage : {} [-f <cfgfile|cfgdir>]* [ -vdVD ] [ -n <maxconn> ] [ -N <maxpconn> ]\n"
      "        [ -p <pidfile> ] [ -m <max megs> ] [ -C <dir> ] [-- <cfgfile>*]\n"
      "        -v displays version ; -vv shows known build options.\n"
      "        -d enters debug mode ; -db only disables background mode.\n"
      "        -dM[<byte>,...] is accepted without effect\n"
      "        -V enters verbose mode (disables quiet mode)\n"
      "        -D goes daemon ; -C changes to <dir> before loading files.\n"
      "        -q quiet mode : don't display messages\n"
      "        -c check mode : only check config files and exit\n"
      "        -cc check condition : evaluate a condition and exit\n"
      "        -n sets the maximum total # of connections (uses ulimit -n)\n"
      "        -m limits the usable amount of memory (in MB)\n"
      "        -N sets the default, per-proxy maximum # of connections (0)\n"
      "        -L set local peer name (default to hostname)\n"
      "        -p writes the pid of the daemon to this file\n"
      "        -sf/-st [pid ]* finishes/terminates old pids once we serve\n"
      "        -x <unix_socket> gets listening sockets from the process that takes commands there\n"
      "        -dR disables SO_REUSEPORT usage\n"
      "        -dL dumps loaded object files after config checks\n"
      "        -dr ignores server address resolution failures\n"
      "        -dW fails if any warning is emitted\n"
      "        -dD diagnostic mode : warn about suspicious configuration statements\n"
      "        --jit=off|on|auto runs rules as native code never, always, or as soon as there is some (auto)\n"
      "        --jit-symbols tells perf and gdb how native code is called\n"
      "        --dump=words|ast|model|plan|ir|ir-opt|program|llvm|asm shows what a stage of the compiler made\n"
      "        --diagnostics=json prints messages as one JSON object a line\n"
      "        --unsupported=warn leaves out, with a warning, lines and sections that hawser does not carry out\n"
      "        help --unsupported lists them\n"
      "        explain -f <cfgfile> 'GET /path' says what would become of a request; explain --help says more\n",
      program);
}

}  // namespace hawser::process
