#include "runtime/process/native_job.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "runtime/process/messages.h"

// Where hawser-jitc is installed to; the build says.
#ifndef HAWSER_LIBEXEC_DIR
#define HAWSER_LIBEXEC_DIR "/usr/libexec/hawser"
#endif

namespace hawser::process {
namespace {

constexpr int kProgram = 3;  // the descriptors that hawser-jitc finds
constexpr int kCode = 4;
constexpr int kEarlier = 5;
constexpr int kExitBudget = 3;
constexpr int kExitNotRun = 127;  // ours: it could not be started
constexpr std::size_t kSaidMax = 300;

// The first line of what it said, without what a terminal would not show.
std::string first_line(int descriptor) {
  char text[kSaidMax];
  const ssize_t size = pread(descriptor, text, sizeof text, 0);
  std::string line;
  for (ssize_t at = 0; at < size && text[at] != '\n'; ++at) {
    line += static_cast<unsigned char>(text[at]) < ' ' ? ' ' : text[at];
  }
  constexpr std::string_view kName = "hawser-jitc: ";
  return line.starts_with(kName) ? line.substr(kName.size()) : line;
}

std::string signal_name(int number) {
  const char* const name = sigdescr_np(number);
  return name != nullptr ? name : fmt::format("signal {}", number);
}

}  // namespace

std::string find_native_compiler() {
  if (const char* const given = std::getenv("HAWSER_JITC"); given != nullptr && *given != '\0') return given;
  const std::string self = executable_path();
  const std::string beside = self.substr(0, self.rfind('/') + 1) + "hawser-jitc";
  // One that cannot be run is tried all the same: the message is to be about it.
  return access(beside.c_str(), F_OK) == 0 ? beside : std::string(HAWSER_LIBEXEC_DIR "/hawser-jitc");
}

void run_native_job(const NativeJob& job) noexcept {
  const std::string path = find_native_compiler();
  // Above all numbers that are written to, first.
  const int program = fcntl(job.program.get(), F_DUPFD_CLOEXEC, 16);
  const int code = fcntl(job.code.get(), F_DUPFD_CLOEXEC, 16);
  const int said = fcntl(job.said.get(), F_DUPFD_CLOEXEC, 16);
  const int earlier = job.earlier < 0 ? -1 : fcntl(job.earlier, F_DUPFD_CLOEXEC, 16);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, 0);
    dup2(null, 1);
  }
  dup2(said, 2);
  dup2(program, kProgram);
  dup2(code, kCode);
  lseek(kProgram, 0, SEEK_SET);  // where its writer left it, that is its end
  const bool has_earlier = earlier >= 0 && dup2(earlier, kEarlier) >= 0;
  if (has_earlier) lseek(kEarlier, 0, SEEK_SET);
  close_range(has_earlier ? kEarlier + 1 : kCode + 1, ~0U, 0);
  // SIGXCPU ends it, if it has not ended itself; what ignores that is killed a second later.
  const rlimit limit{job.cpu_seconds, job.cpu_seconds + rlim_t{1}};
  if (job.cpu_seconds != 0) setrlimit(RLIMIT_CPU, &limit);
  std::vector<std::string> words{path, "--program", std::to_string(kProgram), "--code", std::to_string(kCode)};
  words.insert(words.end(), {"--max-cpu", std::to_string(job.cpu_seconds)});
  if (has_earlier) words.insert(words.end(), {"--earlier", std::to_string(kEarlier)});
  if (job.symbols) words.emplace_back("--names");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  dprintf(2, "%s: %s\n", path.c_str(), std::strerror(errno));
  _exit(kExitNotRun);
}

std::string dump_native(std::span<const std::byte> program, const char* form) {
  const Result<OwnedDescriptor> file = make_memory_file("hawser-program", MemoryUse::data);
  if (!file) return file.error().message;
  if (!write_all(file->get(), program.data(), program.size())) {
    return fmt::format("the program cannot be written: {}", std::strerror(errno));
  }
  const std::string path = find_native_compiler();
  const std::string program_word = std::to_string(kProgram);
  const char* words[] = {path.c_str(), "--program", program_word.c_str(), "--dump", form, nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file->get(), kProgram);
  std::fflush(nullptr);
  pid_t child = -1;
  const int wrong = posix_spawn(&child, path.c_str(), &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong != 0) {
    return fmt::format("hawser-jitc, which makes native code, cannot be run: {}: {}", path, std::strerror(wrong));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return fmt::format("hawser-jitc stopped unexpectedly ({})", signal_name(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : "hawser-jitc failed";
}

std::string over_budget(std::uint32_t cpu_seconds) {
  return fmt::format("hawser-jitc took more than {} s (tune.jit.max-cpu)", cpu_seconds);
}

std::string native_failure(const NativeJob& job, int status) {
  const std::string said = first_line(job.said.get());
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGXCPU) return over_budget(job.cpu_seconds);
    return fmt::format("hawser-jitc stopped unexpectedly ({}){}{}", signal_name(number), said.empty() ? "" : ": ",
                       said);
  }
  if (WEXITSTATUS(status) == kExitBudget) return over_budget(job.cpu_seconds);
  if (WEXITSTATUS(status) == kExitNotRun) return fmt::format("hawser-jitc cannot be run: {}", said);
  if (WEXITSTATUS(status) != 0)
    return said.empty() ? "hawser-jitc failed" : fmt::format("hawser-jitc failed: {}", said);
  struct stat file {};
  if (fstat(job.code.get(), &file) != 0 || file.st_size == 0) return "hawser-jitc gave no code";
  return "";
}

}  // namespace hawser::process
