// One loop: requests, the ends of jobs, the deadlines of jobs. A job is a forked child with memory files of its own to
// write to; when it has ended well they are sealed and sent.
#include "runtime/process/loader_process.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "runtime/process/code_cache.h"
#include "runtime/process/load_job.h"
#include "runtime/process/native_job.h"
#include "runtime/process/title.h"

namespace hawser::process {
namespace {

using Clock = std::chrono::steady_clock;

// A compiler that waits uses no CPU: it has this many times its budget of CPU by the clock.
constexpr std::uint32_t kClockFactor = 4;

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = sigdescr_np(WTERMSIG(status));
    return name != nullptr ? name : fmt::format("signal {}", WTERMSIG(status));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

class LoaderProcess {
 public:
  LoaderProcess(OwnedDescriptor channel, const Load& load, Messages& messages, int served)
      : channel_(std::move(channel)), load_(load), messages_(messages), served_(served) {}

  [[noreturn]] void run() noexcept;

 private:
  struct LoadWork {
    pid_t pid;
    std::vector<OwnedDescriptor> files;
    OwnedDescriptor said;  // its messages, once we have no streams of our own
  };
  struct NativeWork {
    pid_t pid;
    std::uint32_t number;
    NativeJob job;
    Clock::time_point began;
    Clock::time_point deadline;
  };

  [[noreturn]] void end() noexcept;
  void take_requests();
  void take(const Message& request, std::vector<OwnedDescriptor>& descriptors);
  void begin_load();
  void begin_native(const Message& request, OwnedDescriptor program);
  void settle();
  pid_t fork_job();
  int timeout_ms() const;
  void reap();
  void end_load(int status);
  void end_native(int status, const rusage& used);
  void give_up_native(std::string_view why);
  void answer(Message::Kind kind, std::string_view failure, std::span<const int> descriptors = {},
              std::uint32_t number = 0, std::uint32_t milliseconds = 0);
  void keep_only(std::vector<int> kept);

  OwnedDescriptor channel_;
  OwnedDescriptor signals_;
  const Load& load_;
  Messages& messages_;
  const int served_;
  std::optional<LoadWork> loading_;
  std::optional<NativeWork> compiling_;
  CodeCache cache_;
  bool settled_ = false;  // our streams are let go
};

void LoaderProcess::run() noexcept {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != served_) _exit(0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = OwnedDescriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) _exit(1);
  for (;;) {
    pollfd waited[] = {{channel_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    poll(waited, 2, timeout_ms());
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    }
    reap();
    if (compiling_ && Clock::now() >= compiling_->deadline) {
      give_up_native(over_budget(compiling_->job.cpu_seconds));
    }
    take_requests();
  }
}

// The process that we serve is gone, and nobody waits for a job.
void LoaderProcess::end() noexcept {
  if (loading_) kill(loading_->pid, SIGKILL);
  if (compiling_) kill(compiling_->pid, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
  _exit(0);
}

void LoaderProcess::take_requests() {
  Message request;
  std::vector<OwnedDescriptor> descriptors;
  for (;;) {
    switch (receive_message(channel_.get(), Waiting::no, request, descriptors)) {
      case Received::message: take(request, descriptors); break;
      case Received::nothing: return;
      case Received::closed: end();
    }
  }
}

void LoaderProcess::take(const Message& request, std::vector<OwnedDescriptor>& descriptors) {
  switch (request.kind) {
    case Message::Kind::load: return begin_load();
    case Message::Kind::settle: return settle();
    case Message::Kind::native:
      if (descriptors.empty()) return answer(request.kind, "there is no program", {}, request.number);
      return begin_native(request, std::move(descriptors.front()));
  }
}

// As fork(). A job does not outlive us, and takes signals as any program does.
pid_t LoaderProcess::fork_job() {
  const pid_t loader = getpid();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != loader) _exit(1);
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  return 0;
}

void LoaderProcess::begin_load() {
  if (loading_) return answer(Message::Kind::load, "another configuration is being loaded");
  Result<std::vector<OwnedDescriptor>> files = make_load_files();
  if (!files) return answer(Message::Kind::load, files.error().message);
  OwnedDescriptor said;
  if (settled_) {
    Result<OwnedDescriptor> file = make_memory_file("hawser-said", MemoryUse::data);
    if (!file) return answer(Message::Kind::load, file.error().message);
    said = std::move(file).value();
  }
  const pid_t child = fork_job();
  if (child < 0) return answer(Message::Kind::load, fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) {
    if (said) {
      dup2(said.get(), 1);
      dup2(said.get(), 2);
      messages_.set_descriptor(2);
      messages_.started();
    }
    messages_.set_pid(served_);
    const Loaded loaded = load_(messages_);
    std::fflush(nullptr);
    _exit(write_loaded(*files, loaded, messages_.introduced()) ? 0 : 1);
  }
  loading_.emplace(LoadWork{child, std::move(files).value(), std::move(said)});
}

// What the job said goes along, last, however it ended.
void LoaderProcess::end_load(int status) {
  const LoadWork work = std::move(*loading_);
  loading_.reset();
  std::string failure;
  std::vector<int> sent;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    failure = fmt::format("its compiler stopped unexpectedly ({})", how_it_ended(status));
  }
  for (const OwnedDescriptor& file : work.files) {
    if (!failure.empty()) break;
    if (const Status sealed = seal(file.get()); !sealed) failure = sealed.error().message;
    sent.push_back(file.get());
  }
  if (!failure.empty()) sent.clear();
  if (work.said) sent.push_back(work.said.get());
  answer(Message::Kind::load, failure, sent);
}

// One at a time: an older one is for a program that nobody waits for any longer.
void LoaderProcess::begin_native(const Message& request, OwnedDescriptor program) {
  if (compiling_) give_up_native("a newer configuration is compiled instead");
  if (!is_sealed(program.get())) {
    return answer(Message::Kind::native, "the program is not sealed", {}, request.number);
  }
  if (const int known = cache_.find(program.get()); known >= 0) {
    Message message;
    message.kind = Message::Kind::native;
    message.number = request.number;
    message.kept = true;
    send_message(channel_.get(), message, std::span(&known, 1));
    return;
  }
  Result<OwnedDescriptor> code = make_memory_file("hawser-code", MemoryUse::code);
  Result<OwnedDescriptor> said = make_memory_file("hawser-said", MemoryUse::data);
  if (!code || !said) {
    return answer(Message::Kind::native, code ? said.error().message : code.error().message, {}, request.number);
  }
  NativeJob job{std::move(program), std::move(code).value(), std::move(said).value(),
                cache_.newest(),    request.cpu_seconds,     request.symbols};
  const pid_t child = fork_job();
  if (child < 0) {
    return answer(Message::Kind::native, fmt::format("cannot fork: {}", std::strerror(errno)), {}, request.number);
  }
  if (child == 0) run_native_job(job);
  const Clock::time_point now = Clock::now();
  const auto clock_seconds = std::chrono::seconds(std::uint64_t{job.cpu_seconds} * kClockFactor);
  compiling_.emplace(NativeWork{child, request.number, std::move(job), now, now + clock_seconds});
}

void LoaderProcess::end_native(int status, const rusage& used) {
  NativeWork work = std::move(*compiling_);
  compiling_.reset();
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - work.began).count();
  std::string failure = native_failure(work.job, status);
  if (failure.empty()) {
    if (const Status sealed = seal(work.job.code.get()); !sealed) failure = sealed.error().message;
  }
  const auto milliseconds = static_cast<std::uint32_t>(std::min<std::int64_t>(spent, UINT32_MAX));
  if (!failure.empty()) return answer(Message::Kind::native, failure, {}, work.number, milliseconds);
  const int code = work.job.code.get();
  Message made;
  made.kind = Message::Kind::native;
  made.number = work.number;
  made.milliseconds = milliseconds;
  made.peak_kb = static_cast<std::uint32_t>(used.ru_maxrss);
  send_message(channel_.get(), made, std::span(&code, 1));
  cache_.keep(std::move(work.job.program), std::move(work.job.code));
}

void LoaderProcess::give_up_native(std::string_view why) {
  kill(compiling_->pid, SIGKILL);
  while (waitpid(compiling_->pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  answer(Message::Kind::native, why, {}, compiling_->number);
  compiling_.reset();
}

void LoaderProcess::reap() {
  int status;
  for (;;) {
    rusage used{};
    const pid_t ended = wait4(-1, &status, WNOHANG, &used);
    if (ended <= 0) return;
    if (loading_ && loading_->pid == ended)
      end_load(status);
    else if (compiling_ && compiling_->pid == ended)
      end_native(status, used);
  }
}

int LoaderProcess::timeout_ms() const {
  if (!compiling_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(compiling_->deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

void LoaderProcess::answer(Message::Kind kind, std::string_view failure, std::span<const int> descriptors,
                           std::uint32_t number, std::uint32_t milliseconds) {
  Message message;
  message.kind = kind;
  message.number = number;
  message.milliseconds = milliseconds;
  message.set_text(failure);
  // A peer that is gone is seen when its end of the channel is read.
  send_message(channel_.get(), message, descriptors);
}

// Nothing of what started us is kept: its terminal, its pipes, its sockets.
void LoaderProcess::settle() {
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU}) {
    signal(number, SIG_IGN);
  }
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) {
    if (null >= 0) dup2(null, standard);
  }
  if (null > 2) close(null);
  std::vector<int> kept{channel_.get(), signals_.get()};
  if (compiling_) {
    kept.insert(kept.end(), {compiling_->job.program.get(), compiling_->job.code.get(), compiling_->job.said.get()});
  }
  cache_.append_descriptors(kept);
  keep_only(std::move(kept));
  set_title("hawser-loader", "hawser: loader");
  malloc_trim(0);
  settled_ = true;
  answer(Message::Kind::settle, "");
}

void LoaderProcess::keep_only(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = 3;
  for (const int descriptor : kept) {
    const auto number = static_cast<unsigned>(descriptor);
    if (number > first) close_range(first, number - 1, 0);
    first = std::max(first, number + 1);
  }
  close_range(first, ~0U, 0);
}

}  // namespace

void run_loader(OwnedDescriptor channel, const Load& load, Messages& messages, int served) noexcept {
  LoaderProcess(std::move(channel), load, messages, served).run();
}

}  // namespace hawser::process
