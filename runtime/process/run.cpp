// The order of a start: the loader, read and compile (in its child), check, limits, listeners, background, logs, chroot and user,
// threads.
#include "runtime/process/run.h"

#include <link.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "runtime/exec/native_code.h"
#include "runtime/io/clock.h"
#include "runtime/log/logger.h"
#include "runtime/process/daemon.h"
#include "runtime/process/jit.h"
#include "runtime/process/limits.h"
#include "runtime/process/listeners.h"
#include "runtime/process/native_symbols.h"
#include "runtime/process/privileges.h"
#include "runtime/process/service.h"
#include "runtime/process/takeover.h"
#include "runtime/process/version.h"
#include "runtime/tables/pattern_store.h"

namespace hawser::process {
namespace {

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int usage(const std::string& program, std::string_view why) {
  print(version_text());
  std::fputs(fmt::format("{}\n{}\n", usage_text(program), why).c_str(), stderr);
  return 1;
}

int refuse(const Refusal& refusal, const CommandLine& command_line) {
  if (refusal.usage) return usage(command_line.program, refusal.message);
  Messages messages(command_line.silent());
  messages.alert(refusal.message);
  return 1;
}

// -dL
void list_libraries() {
  print("List of loaded object files:\n");
  print(fmt::format("{}\n", executable_path()));
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        if (info->dlpi_name[0] == '/') print(fmt::format("{}\n", info->dlpi_name));
        return 0;
      },
      nullptr);
}

// What -c says, and its exit status.
int verdict(const Loaded& loaded, const CommandLine& command_line) {
  const auto say = [&](std::string_view text) {
    if (!command_line.silent()) print(text);
  };
  if (loaded.warned) say("Warnings were found.\n");
  if (count_listeners(loaded.plan.view()) == 0) {
    say("Configuration file has no error but will not start (no listener) => exit(2).\n");
    return 2;
  }
  say("Configuration file is valid\n");
  return 0;
}

// Memory: few arenas where its amount is limited, for each reserves 64 MB of addresses.
void limit_memory(std::uint32_t megabytes) {
  if (megabytes == 0) return;
  mallopt(M_ARENA_MAX, 1);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = rlim_t{megabytes} << 20;
  setrlimit(RLIMIT_AS, &limit);
}

// What the workers run; nothing after an alert.
bool install(Loaded loaded, std::uint32_t maxconn, const Listeners& listeners, tables::State& state,
             proxy::Generation& generation, Messages& messages) {
  generation.plan_image = std::move(loaded.plan);
  generation.program_image = std::move(loaded.program);
  generation.installed = std::make_unique<tables::Installed>(generation.plan_image.view(), state);
  generation.installed->set_resolved(loaded.addresses);
  for (auto& proxy : generation.installed->proxies()) {
    for (auto& server : proxy.servers) {
      // A name that was not found, under -dr.
      if (server.plan->address.family == abi::Address::Family::none && server.address.size == 0) {
        server.state->admin.store(tables::ServerAdmin::maintenance);
      }
    }
  }
  Result<std::unique_ptr<exec::Engine>> engine = exec::Engine::make(generation.program_image.view());
  if (!engine) {
    messages.alert(engine.error().message);
    return false;
  }
  Result<std::unique_ptr<log::Targets>> logs = log::Targets::open(generation.plan_image.view());
  if (!logs) {
    messages.alert(logs.error().message);
    return false;
  }
  generation.engine = std::move(engine).value();
  state.patterns().install(generation.engine->live_sets());
  generation.logs = std::move(logs).value();
  generation.listeners = listeners.traffic();
  generation.maxconn = maxconn;
  return true;
}

// Puts native code in the interpreter's place, and names it for debuggers when asked to. How many functions were compiled.
Result<std::uint32_t> install_code(exec::Engine& engine, int file, bool symbols, Messages& messages) {
  if (const Status installed = engine.install_native(file); !installed) return installed.error();
  const exec::NativeCode& code = *engine.native();
  const std::uint32_t compiled = code.header().compiled;
  if (!symbols) return compiled;
  std::vector<NativeSymbol> named;
  for (std::uint32_t at = 0; at < code.functions(); ++at) {
    named.push_back({code.name(at), code.code(at).data(), code.code(at).size()});
  }
  if (!tell_debuggers(named)) messages.warning("the names of native functions could not be written for perf.");
  return compiled;
}

// Leaves the background's process with a loader of its own; an exit status for all others.
std::optional<int> go_to_background(const abi::ImageView image, const CommandLine& command_line, const Load& load,
                                    Daemon& daemon, Loader& loader, Messages& messages) {
  const abi::Global& global = image.root<abi::Plan>().global;
  const std::string pidfile =
      command_line.pidfile.empty() ? std::string(image.text(global.pidfile)) : command_line.pidfile;
  if (const std::optional<int> status = daemon.enter(pidfile, command_line.program, messages)) return status;
  if (!loader.start(load, messages)) return 1;
  return std::nullopt;
}

// `bind … thread`: at least one of the threads must be there. haproxy's words.
bool threads_exist(abi::ImageView image, Messages& messages) {
  const auto& plan = image.root<abi::Plan>();
  const std::uint32_t threads = thread_count(plan);
  const std::uint64_t all = threads >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << threads) - 1;
  bool good = true;
  for (const abi::Listener& listener : image.rows(plan.listeners)) {
    if (listener.threads == 0 || (listener.threads & all) != 0) continue;
    messages.alert(fmt::format(
        "config : Proxy '{}': 'thread' directive contains threads that belong to no group in 'bind' at [{}:{}].",
        image.text(image.rows(plan.proxies)[listener.proxy].name), image.text(listener.place.file),
        listener.place.line));
    good = false;
  }
  if (!good) messages.alert("config : Fatal errors found in configuration.");
  return good;
}

int start(Loaded loaded, const CommandLine& command_line, const Load& load, Loader& loader, Messages& messages) {
  const abi::ImageView image = loaded.plan.view();
  const auto& plan = image.root<abi::Plan>();
  const std::string& program = command_line.program;
  if (count_listeners(image) == 0) {
    messages.alert(
        fmt::format("[{}.main()] No enabled listener found (check for 'bind' directives) ! Exiting.", program));
    return 1;
  }
  ServiceOptions options;
  options.threads = thread_count(plan);
  options.memory_mb = command_line.memory_mb;
  const bool tell = command_line.verbose || command_line.debug;
  if (!settle_limits(image, options.threads, command_line.memory_mb, program, tell, messages, options.limits)) return 1;
  Takeover takeover(command_line);
  if (!takeover.fetch(command_line, messages)) return 1;
  Listeners listeners;
  const bool reuse_port = command_line.reuse_port && plan.global.reuse_port;
  if (!takeover.bind(image, options.limits.maxconn, reuse_port, listeners, messages)) {
    messages.alert(fmt::format("[{}.main()] Some protocols failed to start their listeners! Exiting.", program));
    return 1;
  }
  Daemon daemon;
  // -d and -db stand against the file, not against -D: haproxy 2.6 does the same.
  const bool background =
      command_line.daemon || (plan.global.daemon && !command_line.debug && !command_line.foreground);
  if (background) {
    const std::optional<int> status = go_to_background(image, command_line, load, daemon, loader, messages);
    if (status) return *status;
  }
  Jit jit(command_line.jit, command_line.jit_symbols, loader, messages);
  jit.request(loaded, plan.global.jit_cpu_seconds);  // it is made while we go on
  loaded.program_file.reset();
  block_signals();
  limit_memory(command_line.memory_mb);
  tables::State state(options.threads);
  proxy::Generation generation;
  if (!install(std::move(loaded), options.limits.maxconn, listeners, state, generation, messages)) return 1;
  if (!drop_privileges(generation.plan_image.view(), program, messages)) return 1;
  jit.set_install([&](int code) { return install_code(*generation.engine, code, command_line.jit_symbols, messages); });
  jit.set_log([&](std::string_view notice) {
    log::Sender sender(*generation.logs, options.threads);
    sender.send(-1, log::Level::notice, notice, io::Now::read());
    sender.flush();
  });
  if (!jit.await()) return 1;
  malloc_trim(0);
  return serve(generation, listeners, options, jit, messages, [&] {
    messages.started();
    loader.settle();
    takeover.finish();
    daemon.report_success(messages);
  });
}

int load_and_start(const CommandLine& command_line, const Compiler& compiler) {
  Messages messages(command_line.silent());
  if (!command_line.directory.empty() && chdir(command_line.directory.c_str()) != 0) {
    messages.alert(fmt::format("Could not change to directory {} : {}", command_line.directory, std::strerror(errno)));
    return 1;
  }
  const std::optional<std::vector<std::string>> files = expand_paths(command_line.paths, messages);
  if (!files) return 1;
  if (files->empty()) {
    return usage(command_line.program, "There is no configuration file to read: give one with -f.");
  }
  const Load load = [&](Messages& child_messages) { return compiler.load(command_line, *files, child_messages); };
  Loader loader;
  if (!loader.start(load, messages)) return 1;
  Loaded loaded = loader.load(messages);
  if (loaded.exit_status) return *loaded.exit_status;
  if (const std::string wrong = abi::verify_pair(loaded.plan.view(), loaded.program.view()); !wrong.empty()) {
    messages.alert(fmt::format("the configuration could not be loaded: {}.", wrong));
    return 1;
  }
  if (!threads_exist(loaded.plan.view(), messages)) return 1;
  if (command_line.list_libraries) list_libraries();
  if (command_line.task == Task::check) return verdict(loaded, command_line);
  return start(std::move(loaded), command_line, load, loader, messages);
}

}  // namespace

int run(const std::vector<std::string>& words, const Compiler& compiler) {
  const Parsed parsed = parse_command_line(words);
  const CommandLine& command_line = parsed.command_line;
  if (parsed.refusal) return refuse(*parsed.refusal, command_line);
  switch (command_line.task) {
    case Task::version: print(version_text()); return 0;
    case Task::version_long: print(version_long_text()); return 0;
    case Task::help:
      print(version_text());
      print(usage_text(command_line.program));
      return 0;
    case Task::unsupported_words: print(compiler.unsupported_words()); return 0;
    case Task::condition: {
      Messages messages(command_line.silent());
      return compiler.condition(command_line, messages);
    }
    case Task::explain: {
      Messages messages(false);
      return compiler.explain(command_line, messages);
    }
    case Task::check:
    case Task::serve: break;
  }
  return load_and_start(command_line, compiler);
}

}  // namespace hawser::process
