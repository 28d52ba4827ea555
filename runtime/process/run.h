// The process from its first word to its exit status.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/process/command_line.h"
#include "runtime/process/loader.h"
#include "runtime/process/messages.h"

namespace hawser::process {

// What the compiler does for the process; main.cpp fills it in, since nothing here knows the compiler.
struct Compiler {
  // Reads and compiles the files; runs in a child.
  std::function<Loaded(const CommandLine&, const std::vector<std::string>& files, Messages&)> load;
  // -cc: 0 true, 1 false, 2 not a condition.
  std::function<int(const CommandLine&, Messages&)> condition;
  // The text of `help --unsupported`.
  std::function<std::string()> unsupported_words;
  // `explain`; the exit status.
  std::function<int(const CommandLine&, Messages&)> explain;
};

// The exit status; or does not return, when a signal ends the process.
int run(const std::vector<std::string>& words, const Compiler& compiler);

// The configuration files that the paths of a command line stand for: of a directory those that end in ".cfg" and do
// not begin with a dot, in the order of their bytes. Nothing after an alert.
std::optional<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths, Messages& messages);

}  // namespace hawser::process
