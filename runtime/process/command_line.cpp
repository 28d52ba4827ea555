// Options are told apart by their first letters, as haproxy does: "-check" is -c, "-dfoo" is -d. An option that
// takes a value takes the next word, whatever is glued to it.
#include "runtime/process/command_line.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace hawser::process {
namespace {

using Words = std::vector<std::string>;

Refusal usage(std::string message) { return {.usage = true, .message = std::move(message)}; }
Refusal no_option(std::string_view word) { return usage(fmt::format("'{}' is no option.", word)); }
Refusal refused(std::string message) { return {.usage = false, .message = std::move(message)}; }
Refusal not_supported(std::string_view option) {
  return refused(fmt::format("'{}' is not supported by hawser yet.", option));
}

std::optional<JitMode> parse_jit(std::string_view word) {
  if (word == "off") return JitMode::off;
  if (word == "on") return JitMode::on;
  if (word == "auto") return JitMode::automatic;
  return std::nullopt;
}

class Parser {
 public:
  Parser(const Words& words, CommandLine& out) : words_(words), out_(out) {}

  std::optional<Refusal> parse() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      std::optional<Refusal> refusal = option(word);
      if (refusal || done_) return refusal;
    }
    return std::nullopt;
  }

 private:
  std::optional<Refusal> option(const std::string& word) {
    if (word == "help") return help();
    if (word == "explain" && at_ == 2) return explain();
    if (word.empty() || word[0] != '-') {
      return usage(fmt::format("'{}' is no option: a configuration file is given with -f, or behind --.", word));
    }
    if (word.size() < 2) return no_option(word);
    if (word == "--") {
      out_.paths.insert(out_.paths.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
      at_ = words_.size();
      return std::nullopt;
    }
    if (word.starts_with("--")) return long_option(word);
    switch (word[1]) {
      case 'v':
        out_.task = word.starts_with("-vv") ? Task::version_long : Task::version;
        done_ = true;
        return std::nullopt;
      case 'd': return debug_option(word);
      case 'c':
        if (!word.starts_with("-cc")) {
          out_.task = Task::check;
          return std::nullopt;
        }
        if (at_ >= words_.size()) return usage("'-cc' expects a condition.");
        out_.task = Task::condition;
        out_.condition = words_[at_++];
        return std::nullopt;
      case 'D': out_.daemon = true; return std::nullopt;
      case 'q': out_.quiet = true; return std::nullopt;
      case 'V': out_.verbose = true; return std::nullopt;
      case 's': return old_processes(word);
      case 'W':
      case 'S':
      case '4': return not_supported(word);
      default: return option_with_value(word);
    }
  }

  // -f -p -C -L -n -N -m -x VALUE
  std::optional<Refusal> option_with_value(const std::string& word) {
    constexpr std::string_view kTakeValue = "fpCLnNmx";
    if (kTakeValue.find(word[1]) == std::string_view::npos) return no_option(word);
    if (at_ >= words_.size()) return refused(fmt::format("'{}' expects a value.", word));
    const std::string& value = words_[at_++];
    switch (word[1]) {
      case 'f': out_.paths.push_back(value); break;
      case 'p': out_.pidfile = value; break;
      case 'x': out_.sockets_from = value; break;
      case 'C': out_.directory = value; break;
      case 'L': out_.peer_name = value; break;
      case 'n': out_.maxconn = number(value); break;
      case 'N': out_.proxy_maxconn = number(value); break;
      case 'm': out_.memory_mb = number(value); break;
    }
    return std::nullopt;
  }

  // As haproxy: what is no number, or negative, counts as not given.
  static std::uint32_t number(const std::string& value) {
    const long long read = std::strtoll(value.c_str(), nullptr, 10);
    return read > 0 && read <= 0x7fff'ffff ? static_cast<std::uint32_t>(read) : 0;
  }

  // Letters behind -d. Some choose mechanisms that hawser does not have (pollers, memory pools, splice, TLS to
  // servers), and so change nothing here either.
  std::optional<Refusal> debug_option(const std::string& word) {
    switch (word.size() > 2 ? word[2] : '\0') {
      case 'b': out_.foreground = true; return std::nullopt;
      case 'W': out_.warnings_fatal = true; return std::nullopt;
      case 'D': out_.diagnostics = true; return std::nullopt;
      case 'r': out_.ignore_resolution_failures = true; return std::nullopt;
      case 'L': out_.list_libraries = true; return std::nullopt;
      case 'R': out_.reuse_port = false; return std::nullopt;
      case 'M': return memory_option(word);
      case 'e':
      case 'p':
      case 'k':
      case 'v':
      case 'S':
      case 'G':
      case 'V':
      case 'F':
      case 'I':
      case 'T':
      case 'Z': return std::nullopt;
      case 'K':
      case 'A':
      case 'C':
      case 'c':
      case 't': return not_supported(word);
      default: out_.debug = true; return std::nullopt;
    }
  }

  // -dM[BYTE,][FEATURE,…]: how haproxy's memory pools are debugged. Checked, and without effect here.
  static std::optional<Refusal> memory_option(const std::string& word) {
    constexpr std::string_view kFeatures[] = {
        "fail",      "no-fail",   "no-merge", "merge",  "cold-first", "hot-first", "integrity", "no-integrity",
        "no-global", "global",    "no-cache", "cache",  "caller",     "no-caller", "tag",       "no-tag",
        "poison",    "no-poison", "uaf",      "no-uaf", "backup",     "no-backup"};
    std::string_view rest = std::string_view(word).substr(3);
    if (rest == "help") return not_supported(word);
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
      const std::size_t comma = rest.find(',');
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view feature = rest.substr(0, comma);
      bool known = feature.empty();
      for (const std::string_view name : kFeatures) known = known || name == feature;
      if (!known) return refused(fmt::format("-dM: unknown pool debugging feature <{}>", feature));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return std::nullopt;
  }

  // -sf and -st take the process ids that follow, up to the next option; with none there is nobody to finish.
  std::optional<Refusal> old_processes(const std::string& word) {
    if (word != "-sf" && word != "-st") return no_option(word);
    out_.end_old_now = word == "-st";
    for (; at_ < words_.size() && !words_[at_].starts_with('-'); ++at_) {
      const std::string& value = words_[at_];
      char* end = nullptr;
      const long pid = std::strtol(value.c_str(), &end, 10);
      if (*end != '\0' || value.empty()) {
        return refused(fmt::format("{} option: some bytes unconsumed in PID list {{{}}}", word, end));
      }
      if (pid <= 0 || pid > 0x7fff'ffff) return usage(fmt::format("'{}' is no process number.", value));
      out_.old_processes.push_back(static_cast<int>(pid));
    }
    return std::nullopt;
  }

  std::optional<Refusal> help() {
    if (at_ < words_.size() && words_[at_] == "--unsupported") {
      out_.task = Task::unsupported_words;
    } else if (at_ < words_.size()) {
      return usage(fmt::format("'help' knows --unsupported, and no '{}'.", words_[at_]));
    } else {
      out_.task = Task::help;
    }
    done_ = true;
    return std::nullopt;
  }

  // What is behind the word is not ours to read.
  std::optional<Refusal> explain() {
    out_.task = Task::explain;
    out_.explain_words.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    done_ = true;
    return std::nullopt;
  }

  std::optional<Refusal> long_option(const std::string& word) {
    if (word == "--help") {
      out_.task = Task::help;
      done_ = true;
      return std::nullopt;
    }
    if (word == "--diagnostics=json") {
      out_.json = true;
      return std::nullopt;
    }
    if (word == "--unsupported=warn") {
      out_.warn_unsupported = true;
      return std::nullopt;
    }
    if (word == "--jit-symbols") {
      out_.jit_symbols = true;
      return std::nullopt;
    }
    if (word.starts_with("--jit=")) {
      const std::optional<JitMode> jit = parse_jit(std::string_view(word).substr(6));
      if (!jit) return refused(fmt::format("'{}': --jit is off, on or auto.", word));
      out_.jit = *jit;
      return std::nullopt;
    }
    constexpr std::pair<std::string_view, Dump> kDumps[] = {
        {"--dump=words", Dump::words},     {"--dump=ast", Dump::ast},   {"--dump=model", Dump::model},
        {"--dump=plan", Dump::plan},       {"--dump=ir", Dump::ir},     {"--dump=ir-opt", Dump::ir_opt},
        {"--dump=program", Dump::program}, {"--dump=llvm", Dump::llvm}, {"--dump=asm", Dump::assembly}};
    for (const auto& [name, dump] : kDumps) {
      if (word == name) {
        out_.dump = dump;
        return std::nullopt;
      }
    }
    constexpr std::string_view kPasses = "--passes=";
    if (word.starts_with(kPasses)) {
      out_.passes = word.substr(kPasses.size());
      return std::nullopt;
    }
    return no_option(word);
  }

  const Words& words_;
  CommandLine& out_;
  std::size_t at_ = 1;
  bool done_ = false;  // the rest is not looked at
};

}  // namespace

Parsed parse_command_line(const std::vector<std::string>& words) {
  Parsed parsed;
  if (!words.empty()) parsed.command_line.program = words.front();
  if (const char* const jit = std::getenv("HAWSER_JIT"); jit != nullptr && *jit != '\0') {
    const std::optional<JitMode> mode = parse_jit(jit);
    if (!mode) {
      parsed.refusal = refused(fmt::format("HAWSER_JIT is '{}': it may be off, on or auto.", jit));
      return parsed;
    }
    parsed.command_line.jit = *mode;
  }
  parsed.refusal = Parser(words, parsed.command_line).parse();
  return parsed;
}

}  // namespace hawser::process
