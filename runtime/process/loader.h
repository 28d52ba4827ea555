// The loader: a small process beside the serving one, forked before threads, chroot and setuid. It keeps the file
// system and its rights, and forks a child for each job that needs them: reading and compiling a configuration, making
// native code. What a job makes comes back as sealed memory files; nothing else of it stays.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/abi/held_image.h"
#include "runtime/base/address.h"
#include "runtime/process/channel.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// What reading the files came to. With an exit status there is nothing to run.
struct Loaded {
  std::optional<int> exit_status;
  bool warned = false;
  abi::HeldImage plan;
  abi::HeldImage program;
  std::vector<IpAddress> addresses;  // of the servers named by a host name (prepare.h)
  OwnedDescriptor program_file;      // the program's memory file: what native code is made from
};

using Load = std::function<Loaded(Messages&)>;

// How making native code ended: `code` is a sealed file, or `failure` says why there is none.
struct NativeAnswer {
  std::uint32_t number = 0;  // of the request
  std::uint32_t milliseconds = 0;
  OwnedDescriptor code;
  std::string failure;
  bool kept = false;          // the code was made before, for the same program
  std::uint32_t peak_kb = 0;  // the most memory that hawser-jitc had
};

// The serving process's end. The loader ends when this is gone, however the process ends.
class Loader {
 public:
  Loader() = default;
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Forks it, with `load` as what a job of loading does. False after an alert. A second time, in the background's process: a
  // loader of its own, since the first one is its parent's child.
  bool start(const Load& load, Messages& messages);

  // Reads and compiles, in a job that writes to our stdout and stderr; after settle(), what it says is passed on to `messages`
  // when it has ended. Failures have been told.
  Loaded load(Messages& messages);

  // Asks for native code of a program. A request that is still at work is given up, and answered as failed. False when
  // there is no loader any more.
  bool request_native(std::uint32_t number, int program_file, std::uint32_t cpu_seconds, bool symbols);
  // The next answer; nothing yet, when not waiting. Without a loader the answer is a failure.
  std::optional<NativeAnswer> take_native(Waiting waiting);

  // The service is up: the loader lets standard streams and inherited descriptors go. Returns when it has.
  void settle();

  // Readable when there may be an answer; -1 without a loader.
  int descriptor() const noexcept { return channel_.get(); }

 private:
  // The next message of `kind`; others are kept for who asks for them.
  std::optional<Message> await(Message::Kind kind, std::vector<OwnedDescriptor>& descriptors);
  void lost() noexcept;

  OwnedDescriptor channel_;
  int pid_ = -1;
  std::deque<NativeAnswer> answers_;
};

}  // namespace hawser::process
