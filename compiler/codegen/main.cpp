// hawser-jitc: makes native code for a Program. Hawser starts it; it serves nothing, and is gone when it is done.
//
//   hawser-jitc --program FD --code FD [--earlier FD] [--max-cpu SECONDS] [--names] [--effort 0|1|2] [--part STEPS]
//   hawser-jitc --program FD --dump llvm|asm [--effort 0|1|2] [--part STEPS]
//
// Effort is LLVM's level of code generation: none, less, default. A function of more steps than --part is cut.
// What an earlier code image has code for is not compiled again; one that is damaged, or another build's, is left aside.
// Reads a Program's image from one open descriptor and writes the code image into another, from their beginnings. Exit
// status: 0 done; 1 the Program is refused or code cannot be made, with a line on stderr; 2 wrong usage; 3 out of CPU time.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "compiler/codegen/codegen.h"
#include "runtime/abi/program.h"

namespace {

using namespace hawser;  // NOLINT(google-build-using-namespace)

enum Exit : int { exit_done = 0, exit_refused = 1, exit_usage = 2, exit_budget = 3 };

struct Command {
  int program = -1;
  int code = -1;
  int earlier = -1;
  int max_cpu_s = 0;
  codegen::Options options;
  std::optional<codegen::Form> dump;
};

bool read_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

bool read_command(int count, char** words, Command& command) {
  for (int at = 1; at < count; ++at) {
    const std::string_view word = words[at];
    if (word == "--names") {
      command.options.names = true;
      continue;
    }
    if (++at == count) return false;
    const std::string_view value = words[at];
    int number = 0;
    if (word == "--dump" && (value == "llvm" || value == "asm")) {
      command.dump = value == "asm" ? codegen::Form::assembly : codegen::Form::llvm;
    } else if (word == "--effort" && read_number(value, number) && number <= 2) {
      command.options.effort = static_cast<codegen::Effort>(number);
    } else if (word == "--part" && read_number(value, number) && number > 0) {
      command.options.part_steps = static_cast<std::uint32_t>(number);
    } else if (!(word == "--program" && read_number(value, command.program)) &&
               !(word == "--code" && read_number(value, command.code)) &&
               !(word == "--earlier" && read_number(value, command.earlier)) &&
               !(word == "--max-cpu" && read_number(value, command.max_cpu_s))) {
      return false;
    }
  }
  return command.program >= 0 && (command.code >= 0) != command.dump.has_value();
}

int refuse(std::string_view why) {
  fmt::print(stderr, "hawser-jitc: {}\n", why);
  return exit_refused;
}

void out_of_time(int) { _exit(exit_budget); }

void limit_cpu(int seconds) {
  if (seconds == 0) return;
  std::signal(SIGXCPU, out_of_time);
  const rlimit limit{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds) + 1};
  setrlimit(RLIMIT_CPU, &limit);
}

// A file's bytes, which stay mapped until the process ends.
std::optional<std::span<const std::byte>> map_file(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  if (status.st_size == 0) return std::span<const std::byte>();
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  return std::span(static_cast<const std::byte*>(mapped), size);
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  off_t at = 0;
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

int dump(abi::ImageView program, const Command& command) {
  const auto text = codegen::dump(program, command.options, *command.dump);
  if (!text) return refuse(text.error().message);
  return std::fwrite(text->data(), 1, text->size(), stdout) == text->size() && std::fflush(stdout) == 0 ? exit_done
                                                                                                        : exit_refused;
}

}  // namespace

int main(int count, char** words) {
  Command command;
  if (!read_command(count, words, command)) {
    fmt::print(
        stderr,
        "usage: hawser-jitc --program FD --code FD [--earlier FD] [--max-cpu SECONDS] [--names] [--effort 0|1|2]\n"
        "                   [--part STEPS]\n"
        "       hawser-jitc --program FD --dump llvm|asm [--effort 0|1|2] [--part STEPS]\n");
    return exit_usage;
  }
  limit_cpu(command.max_cpu_s);
  const auto bytes = map_file(command.program);
  if (!bytes) return refuse(fmt::format("the program cannot be read: {}", std::strerror(errno)));
  const abi::ImageView program(*bytes);
  if (const std::string wrong = abi::verify(program); !wrong.empty()) {
    return refuse("the program is damaged: " + wrong);
  }
  if (command.dump) return dump(program, command);
  // Its pages are a file's: what is looked at again is there again.
  command.options.rest = [&] { madvise(const_cast<std::byte*>(bytes->data()), bytes->size(), MADV_DONTNEED); };
  codegen::EarlierCode earlier;
  if (const auto image = command.earlier < 0 ? std::nullopt : map_file(command.earlier)) earlier.add(*image);
  const auto code = codegen::compile(program, command.options, earlier);
  if (!code) return refuse(code.error().message);
  if (!write_all(command.code, *code))
    return refuse(fmt::format("the code cannot be written: {}", std::strerror(errno)));
  return exit_done;
}
