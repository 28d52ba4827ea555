// Native code beside the interpreter: asked for when the program is there, installed when it comes, told about when it
// does not (--jit=off|on|auto).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "runtime/admin/facts.h"
#include "runtime/process/command_line.h"
#include "runtime/process/loader.h"
#include "runtime/process/messages.h"

namespace hawser::process {

//   (off)
//   asked -> installed
//       \--> failed: the interpreter goes on, or, with --jit=on, nothing is served
class Jit {
 public:
  Jit(JitMode mode, bool symbols, Loader& loader, Messages& messages)
      : mode_(mode), symbols_(symbols), loader_(loader), messages_(messages) {}

  // Asks for native code of what was loaded, unless it is off or there is nothing to compile.
  void request(const Loaded& loaded, std::uint32_t cpu_seconds);

  // What is done with a file of code once it is there: the number of functions that were compiled for it, the others being an
  // earlier program's, too. Before await() and advance().
  using Install = std::function<Result<std::uint32_t>(int code_file)>;
  void set_install(Install install) { install_ = std::move(install); }

  // Where a notice goes besides: in the background nobody sees what we say.
  using Log = std::function<void(std::string_view notice)>;
  void set_log(Log log) { log_ = std::move(log); }

  // Before anything is served: with --jit=on, waits for the code. False after an alert.
  bool await();

  // For the loop of the process that serves: a descriptor to poll (-1: none), and what to do when it is readable.
  int descriptor() const noexcept { return loader_.descriptor(); }
  void advance();

  // From any thread: all but the exchanges, which the workers count.
  admin::NativeFacts facts() const noexcept;

 private:
  void take(NativeAnswer answer);
  void fail(std::string_view why);

  const JitMode mode_;
  const bool symbols_;
  Loader& loader_;
  Messages& messages_;
  Install install_;
  Log log_;
  std::uint32_t number_ = 0;  // of the newest request
  std::atomic<std::uint32_t> functions_{0};
  std::atomic<std::uint32_t> native_{0};
  std::atomic<std::uint32_t> pending_{0};
  std::atomic<std::uint32_t> failed_{0};
  std::atomic<std::uint32_t> reused_{0};
  std::atomic<std::uint32_t> milliseconds_{0};
  std::atomic<std::uint32_t> peak_kb_{0};
};

}  // namespace hawser::process
