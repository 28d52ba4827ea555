// The loader, its jobs and its end.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/process/loader.h"

using namespace hawser;
using namespace hawser::process;

namespace {

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    close_writer();
    close(ends[0]);
  }
  void close_writer() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  // All that was written, once nobody can write any more.
  std::string rest() {
    close_writer();
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(size));
    return text;
  }
  int ends[2];
};

// Messages into a pipe, and what was said.
struct Heard {
  Heard() {
    REQUIRE(fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK) == 0);
    messages.set_descriptor(pipe.ends[1]);
    messages.set_pid(7);
  }
  std::string text() const {
    char buffer[8192];
    const ssize_t size = read(pipe.ends[0], buffer, sizeof buffer);
    return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
  }
  Pipe pipe;
  Messages messages{false};
};

abi::Image image_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return abi::Image({bytes.begin(), bytes.end()});
}

Loaded loaded_program(std::string_view program) {
  Loaded loaded;
  loaded.plan = image_of("the plan");
  loaded.program = image_of(program);
  return loaded;
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) { return std::ranges::equal(a, b); }

// A directory with a stand-in for hawser-jitc, a shell script: the program is its descriptor 3, the code its descriptor 4.
struct Compiler {
  explicit Compiler(const std::string& script) {
    REQUIRE(mkdtemp(directory) != nullptr);
    path = std::string(directory) + "/hawser-jitc";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
    setenv("HAWSER_JITC", path.c_str(), 1);
  }
  ~Compiler() {
    unsetenv("HAWSER_JITC");
    std::filesystem::remove_all(directory);
  }
  char directory[32] = "/tmp/hawser-loader-XXXXXX";
  std::string path;
};

std::string text_of(const NativeAnswer& answer) {
  char buffer[256];
  const ssize_t size = pread(answer.code.get(), buffer, sizeof buffer, 0);
  return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
}

// A loader that has loaded `program` already.
struct Started {
  explicit Started(std::string_view program) {
    load = [text = std::string(program)](Messages&) { return loaded_program(text); };
    REQUIRE(loader.start(load, heard.messages));
    loaded = loader.load(heard.messages);
    REQUIRE(loaded.program_file);
  }
  NativeAnswer compile(std::uint32_t number = 1, std::uint32_t cpu_seconds = 10) {
    REQUIRE(loader.request_native(number, loaded.program_file.get(), cpu_seconds, false));
    return *loader.take_native(Waiting::yes);
  }
  Heard heard;
  Load load;
  Loader loader;
  Loaded loaded;
};

}  // namespace

TEST_CASE("a job loads the images, which are sealed, and leaves nothing but them") {
  Heard heard;
  const Load load = [](Messages& messages) {
    messages.warning("from the job");
    Loaded result = loaded_program("the program");
    result.warned = true;
    result.addresses = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("2001:db8::1")};
    return result;
  };
  Loader loader;
  REQUIRE(loader.start(load, heard.messages));
  const Loaded loaded = loader.load(heard.messages);
  CHECK_FALSE(loaded.exit_status);
  CHECK(loaded.warned);
  CHECK(same(loaded.plan.bytes(), image_of("the plan").bytes()));
  CHECK(same(loaded.program.bytes(), image_of("the program").bytes()));
  REQUIRE(loaded.addresses.size() == 2);
  CHECK(loaded.addresses[1].to_string() == "2001:db8::1");
  CHECK(heard.messages.introduced());
  CHECK(heard.text().find("(7) : from the job") == std::string::npos);  // it speaks for the process that serves
  CHECK(is_sealed(loaded.program_file.get()));
  CHECK(ftruncate(loaded.program_file.get(), 0) != 0);
}

TEST_CASE("a job that dies is told with how it died, and the loader goes on") {
  Heard heard;
  const Load load = [](Messages&) -> Loaded { _exit(3); };
  Loader loader;
  REQUIRE(loader.start(load, heard.messages));
  CHECK(loader.load(heard.messages).exit_status == 1);
  CHECK(heard.text().find(
            "(7) : the configuration could not be loaded: its compiler stopped unexpectedly (exit status 3).") !=
        std::string::npos);
  CHECK(loader.load(heard.messages).exit_status == 1);
}

TEST_CASE("a job that is killed is told, and no result of it is used") {
  Heard heard;
  const Load load = [](Messages&) -> Loaded {
    raise(SIGKILL);
    return {};
  };
  Loader loader;
  REQUIRE(loader.start(load, heard.messages));
  CHECK(loader.load(heard.messages).exit_status == 1);
  CHECK(heard.text().find("its compiler stopped unexpectedly (Killed).") != std::string::npos);
}

TEST_CASE("the loader ends when its process is killed") {
  Pipe pipe;  // the loader and its job hold the writer as long as they live
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Messages messages(true);
    Loader loader;
    const Load load = [](Messages&) { return loaded_program("x"); };
    if (!loader.start(load, messages)) _exit(1);
    const char byte = 'a';
    if (loader.load(messages).exit_status || write(pipe.ends[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(pipe.ends[0], &byte, 1) == 1);
  kill(child, SIGKILL);
  CHECK(pipe.rest().empty());  // returns when nobody holds the pipe
  CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("the loader gives up a job that is at work when its process is killed") {
  Pipe pipe;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Messages messages(true);
    Loader loader;
    const Load load = [&](Messages&) -> Loaded {
      const char byte = 'a';
      if (write(pipe.ends[1], &byte, 1) != 1) _exit(1);
      for (;;) pause();
    };
    if (loader.start(load, messages)) loader.load(messages);
    _exit(1);
  }
  char byte = 0;
  REQUIRE(read(pipe.ends[0], &byte, 1) == 1);
  kill(child, SIGKILL);
  CHECK(pipe.rest().empty());
  CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("once the service is up the loader holds nothing that it inherited") {
  Pipe pipe;
  Started started("x");
  started.loader.settle();
  CHECK(pipe.rest().empty());  // returns though the loader lives
  CHECK(started.loader.load(started.heard.messages).program_file);
}

TEST_CASE("once the service is up, what a job says is passed on by the process that serves") {
  Heard heard;
  const Load load = [](Messages& messages) {
    messages.warning("from the job");
    return loaded_program("x");
  };
  Loader loader;
  REQUIRE(loader.start(load, heard.messages));
  loader.settle();
  CHECK(loader.load(heard.messages).program_file);
  CHECK(heard.text().find("(" + std::to_string(getpid()) + ") : from the job\n") != std::string::npos);
}

TEST_CASE("native code comes as a sealed file, and is made once for the same program") {
  Compiler compiler("cat <&3 >&4; echo . >>\"${0%/*}/runs\"");
  Started started("steps");
  for (const std::uint32_t number : {1U, 2U}) {
    const NativeAnswer answer = started.compile(number);
    CHECK(answer.failure == "");
    CHECK(answer.number == number);
    CHECK(text_of(answer) == "steps");
    CHECK(is_sealed(answer.code.get()));
  }
  CHECK(std::filesystem::file_size(std::string(compiler.directory) + "/runs") == 2);
}

TEST_CASE("hawser-jitc is given the code of the program before") {
  Compiler compiler("cat <&3 >&4; case \"$*\" in *'--earlier 5'*) cat <&5 >&4;; esac");
  Started started("a");
  CHECK(text_of(started.compile()) == "a");
  const auto compile = [&](std::string_view program) {
    const OwnedDescriptor file = make_memory_file("program", MemoryUse::data).value();
    REQUIRE(write_all(file.get(), program.data(), program.size()));
    REQUIRE(seal(file.get()).ok());
    REQUIRE(started.loader.request_native(2, file.get(), 10, false));
    return *started.loader.take_native(Waiting::yes);
  };
  const NativeAnswer second = compile("b");
  CHECK(text_of(second) == "ba");
  CHECK_FALSE(second.kept);
  const NativeAnswer again = compile("a");
  CHECK(text_of(again) == "a");
  CHECK(again.kept);
  CHECK(text_of(compile("c")) == "ca");
  for (const char* more : {"d", "e", "f"}) compile(more);
  CHECK_FALSE(compile("b").kept);  // what was not asked for the longest is gone
}

TEST_CASE("whatever becomes of hawser-jitc, why there is no code is said") {
  struct Case {
    const char* script;
    const char* why;
  };
  for (const Case& one : {Case{"echo no memory left >&2; echo more >&2; exit 1", "hawser-jitc failed: no memory left"},
                          Case{"kill -SEGV $$", "hawser-jitc stopped unexpectedly (Segmentation fault)"},
                          Case{"exit 0", "hawser-jitc gave no code"}, Case{"exit 2", "hawser-jitc failed"}}) {
    Compiler compiler(one.script);
    Started started("steps");
    CHECK(started.compile().failure == one.why);
  }
  Compiler compiler("exit 0");
  setenv("HAWSER_JITC", "/nosuch/hawser-jitc", 1);
  Started started("steps");
  CHECK(started.compile().failure == "hawser-jitc cannot be run: /nosuch/hawser-jitc: No such file or directory");
}

TEST_CASE("a compiler that exceeds its budget of CPU time is ended") {
  Compiler compiler("while :; do :; done");
  Started started("steps");
  CHECK(started.compile(1, 1).failure == "hawser-jitc took more than 1 s (tune.jit.max-cpu)");
}

TEST_CASE("a newer request ends an older one") {
  Compiler compiler("read line <\"${0%/*}/gate\"; cat <&3 >&4");
  REQUIRE(mkfifo((std::string(compiler.directory) + "/gate").c_str(), 0600) == 0);
  Started started("steps");
  REQUIRE(started.loader.request_native(1, started.loaded.program_file.get(), 10, false));
  REQUIRE(started.loader.request_native(2, started.loaded.program_file.get(), 10, false));
  const NativeAnswer first = *started.loader.take_native(Waiting::yes);
  CHECK(first.number == 1);
  CHECK(first.failure == "a newer configuration is compiled instead");
  std::ofstream(std::string(compiler.directory) + "/gate") << "go\n";
  const NativeAnswer second = *started.loader.take_native(Waiting::yes);
  CHECK(second.number == 2);
  CHECK(text_of(second) == "steps");
}

TEST_CASE("a loader that is gone is a failure, not a wait") {
  Heard heard;
  const Load load = [](Messages&) -> Loaded {
    kill(getppid(), SIGKILL);
    for (;;) pause();
  };
  Loader loader;
  REQUIRE(loader.start(load, heard.messages));
  CHECK(loader.load(heard.messages).exit_status == 1);
  CHECK(heard.text().find("the loader, the process that compiles, is gone") != std::string::npos);
  CHECK(loader.descriptor() == -1);
  CHECK_FALSE(loader.request_native(1, 0, 1, false));
}
