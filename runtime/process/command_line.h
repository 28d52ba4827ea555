// The command line, read as haproxy 2.6 reads its own (haproxy-compatible options), with the long options of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hawser::process {

// What the process is asked for.
enum class Task : std::uint8_t { serve, check, condition, version, version_long, help, unsupported_words, explain };

enum class Dump : std::uint8_t { none, words, ast, model, plan, ir, ir_opt, program, llvm, assembly };

// Whether rules run as native code: never, always or not at all, or as soon as there is some.
enum class JitMode : std::uint8_t { automatic, on, off };

struct CommandLine {
  std::string program;  // argv[0], for messages
  Task task = Task::serve;
  std::string condition;                    // -cc
  std::vector<std::string> explain_words;   // behind `explain`
  std::vector<std::string> paths;           // files and directories, as given
  std::string directory;                    // -C
  bool debug = false;                       // -d
  bool foreground = false;                  // -db
  bool daemon = false;                      // -D
  bool quiet = false;                       // -q
  bool verbose = false;                     // -V
  bool warnings_fatal = false;              // -dW
  bool diagnostics = false;                 // -dD
  bool ignore_resolution_failures = false;  // -dr
  bool list_libraries = false;              // -dL
  bool reuse_port = true;                   // -dR clears it
  std::uint32_t maxconn = 0;                // -n
  std::uint32_t proxy_maxconn = 0;          // -N
  std::uint32_t memory_mb = 0;              // -m
  std::string pidfile;                      // -p
  std::vector<int> old_processes;           // -sf, -st
  bool end_old_now = false;                 // -st
  std::string sockets_from;                 // -x
  bool master = false;                      // -W
  bool notify = false;                      // -Ws: tell systemd
  std::string master_socket;                // -S ADDRESS[,OPTION…]
  std::string peer_name;                    // -L
  Dump dump = Dump::none;                   // --dump=
  std::string passes = "all";               // --passes=
  bool json = false;                        // --diagnostics=json
  bool warn_unsupported = false;            // --unsupported=warn
  JitMode jit = JitMode::automatic;         // --jit=, else HAWSER_JIT
  bool jit_symbols = false;                 // --jit-symbols

  // Quiet in effect: -V and -d win over -q.
  bool silent() const noexcept { return quiet && !verbose && !debug; }
};

// A refused command line: either the usage text is due, or `message` says what is wrong.
struct Refusal {
  bool usage = false;  // the usage is shown, and the message behind it
  std::string message;
};

struct Parsed {
  CommandLine command_line;
  std::optional<Refusal> refusal;
};

Parsed parse_command_line(const std::vector<std::string>& words);

}  // namespace hawser::process
