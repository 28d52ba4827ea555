// hawser: the one place that sees the compiler and the runtime, and connects them.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/eval/explain.h"
#include "grammar/diagnostics.h"
#include "grammar/predicate.h"
#include "grammar/reader.h"
#include "grammar/source.h"
#include "runtime/abi/plan.h"
#include "runtime/abi/program.h"
#include "runtime/base/file.h"
#include "runtime/process/native_job.h"
#include "runtime/process/prepare.h"
#include "runtime/process/run.h"
#include "runtime/process/version.h"
#include "runtime/proxy/built_in_errors.h"

namespace {

using namespace hawser;

static_assert(compiler::kHaproxyVersion == process::kCompatibleVersion, "one language, one version");

process::Loaded ended(int status) {
  process::Loaded loaded;
  loaded.exit_status = status;
  return loaded;
}

// The process's variables, and those that the command line gives: `-L NAME` names the local peer.
grammar::Environment environment_for(const process::CommandLine& command_line) {
  grammar::Environment environment = grammar::Environment::of_process();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  environment.set("HAPROXY_LOCALPEER", command_line.peer_name.empty() ? std::string(host) : command_line.peer_name);
  return environment;
}

// What the compiler has to say, in the order in which it was found.
void report(const grammar::Diagnostics& diagnostics, const process::CommandLine& command_line,
            process::Messages& messages) {
  for (const grammar::Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.level == grammar::Level::diag && !command_line.diagnostics) continue;
    std::string text = command_line.json ? grammar::render_json(diagnostic, diagnostics.sources())
                                         : grammar::render(diagnostic, diagnostics.sources(), messages.pid());
    if (text.ends_with('\n')) text.pop_back();
    command_line.json ? messages.note(text) : messages.print(text);
  }
}

std::string stage_name(process::Dump dump) {
  switch (dump) {
    case process::Dump::words: return "words";
    case process::Dump::ast: return "ast";
    case process::Dump::model: return "model";
    case process::Dump::plan: return "plan";
    case process::Dump::ir: return "ir";
    case process::Dump::ir_opt: return "ir-opt";
    case process::Dump::program: return "program";
    case process::Dump::llvm: return "llvm";
    case process::Dump::assembly: return "asm";
    case process::Dump::none: break;
  }
  return "";
}

// On standard output; false when not all of it could be written, errno then says why.
bool put(std::string_view text) noexcept {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

// The text of --dump, and whether what it shows was sound.
process::Loaded dump(const process::CommandLine& command_line, const std::vector<grammar::FileId>& files,
                     const grammar::Sources& sources, const compiler::Options& options, process::Messages& messages) {
  grammar::Diagnostics diagnostics(sources);
  grammar::Environment environment = environment_for(command_line);
  const std::optional<std::string> text =
      compiler::dump_text(stage_name(command_line.dump), files, sources, environment, options, diagnostics);
  report(diagnostics, command_line, messages);
  if (text && !put(*text)) {
    messages.alert(fmt::format("--dump={} : cannot write : {}.", stage_name(command_line.dump), std::strerror(errno)));
    return ended(1);
  }
  return ended(diagnostics.has_fatal() ? 1 : 0);
}

// What hawser-jitc makes of a program, as text.
process::Loaded dump_native(process::Dump form, abi::ImageView program, process::Messages& messages) {
  const std::string wrong = process::dump_native(program.bytes(), stage_name(form).c_str());
  if (!wrong.empty()) messages.alert(fmt::format("--dump={} : {}.", stage_name(form), wrong));
  return ended(wrong.empty() ? 0 : 1);
}

std::string pass_names() {
  std::string names = "all, none";
  for (const opt::PassRow& row : opt::passes()) names += fmt::format(", {}", row.name);
  return names;
}

// The texts of the files; false after an alert.
bool read_files(const std::vector<std::string>& paths, grammar::Sources& sources, std::vector<grammar::FileId>& files,
                process::Messages& messages) {
  for (const std::string& path : paths) {
    Result<std::string> text = read_whole_file(path);
    if (!text) {
      messages.alert(
          fmt::format("config : Could not open configuration file {} : {}", path, std::strerror(text.error().code)));
      return false;
    }
    files.push_back(sources.add(path, std::move(text).value()));
  }
  return true;
}

// Reads, compiles and prepares. Runs in a child of the process that will serve.
process::Loaded load(const process::CommandLine& command_line, const std::vector<std::string>& paths,
                     process::Messages& messages) {
  grammar::Sources sources;
  std::vector<grammar::FileId> files;
  if (!read_files(paths, sources, files, messages)) return ended(1);
  const std::optional<opt::PassSet> passes = opt::PassSet::parse(command_line.passes);
  if (!passes) {
    messages.alert(fmt::format("--passes={} names a pass that is unknown : {}", command_line.passes, pass_names()));
    return ended(1);
  }
  const compiler::Options options{.default_proxy_maxconn = command_line.proxy_maxconn,
                                  .global_maxconn = command_line.maxconn,
                                  .warn_unsupported = command_line.warn_unsupported,
                                  .passes = *passes};
  const bool native = command_line.dump == process::Dump::llvm || command_line.dump == process::Dump::assembly;
  if (command_line.dump != process::Dump::none && !native) {
    return dump(command_line, files, sources, options, messages);
  }
  grammar::Environment environment = environment_for(command_line);
  grammar::Diagnostics diagnostics(sources);
  compiler::Compiled compiled = compiler::compile(files, sources, environment, options, diagnostics);
  report(diagnostics, command_line, messages);
  if (diagnostics.has_fatal()) return ended(1);
  if (native) return dump_native(command_line.dump, compiled.program->view(), messages);
  std::optional<process::Prepared> prepared =
      process::prepare(compiled.plan->view(), command_line.ignore_resolution_failures, messages);
  if (!prepared) return ended(1);
  process::Loaded loaded;
  loaded.warned = diagnostics.has_warning() || prepared->warned;
  if (loaded.warned && command_line.warnings_fatal) {
    messages.alert("config : Some warnings were found and 'zero-warning' is set. Aborting.");
    return ended(1);
  }
  loaded.plan = std::move(*compiled.plan);
  loaded.program = std::move(*compiled.program);
  loaded.addresses = std::move(prepared->addresses);
  return loaded;
}

// -cc: 0 true, 1 false, 2 not a condition.
int condition(const process::CommandLine& command_line, process::Messages& messages) {
  const auto answer = grammar::evaluate(command_line.condition, environment_for(command_line), compiler::predicates());
  if (const bool* holds = std::get_if<bool>(&answer)) return *holds ? 0 : 1;
  messages.alert(
      fmt::format("config : Failed to evaluate condition: {}", std::get<grammar::PredicateError>(answer).text));
  return 2;
}

// `hawser explain`: its command line and its configuration are read, and one request is followed through the rules.
int explain(const process::CommandLine& command_line, process::Messages& messages) {
  const auto refused = [&](const std::string& why) {
    std::fputs(fmt::format("hawser explain: {}\n", why).c_str(), stderr);
    return 1;
  };
  const auto command = eval::parse_explain(command_line.explain_words);
  if (!command) {
    refused(command.error());
    std::fputs(eval::explain_usage(command_line.program).c_str(), stderr);
    return 1;
  }
  if (command->help) {
    std::fputs(eval::explain_usage(command_line.program).c_str(), stdout);
    return 0;
  }
  const auto paths = process::expand_paths(command->paths, messages);
  grammar::Sources sources;
  std::vector<grammar::FileId> files;
  if (!paths || !read_files(*paths, sources, files, messages)) return 1;
  grammar::Environment environment = environment_for(command_line);
  grammar::Diagnostics diagnostics(sources);
  const compiler::Compiled compiled = compiler::compile(files, sources, environment, {}, diagnostics);
  if (diagnostics.has_fatal()) {
    report(diagnostics, command_line, messages);
    return 1;
  }
  const eval::Answers answers{.reason = proxy::reason_phrase,
                              .page = [](std::uint16_t status) { return proxy::built_in_error(status).body; }};
  const auto said = eval::explain(*command, *compiled.config, compiled.plan->view(), sources, answers);
  if (!said) return refused(said.error());
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const std::string text = command->json ? eval::to_json(*said) : eval::to_text(*said, colour);
  return put(text) ? 0 : refused(fmt::format("cannot write: {}", std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  return process::run(
      {argv, argv + argc},
      {.load = load, .condition = condition, .unsupported_words = compiler::unsupported_words, .explain = explain});
}
