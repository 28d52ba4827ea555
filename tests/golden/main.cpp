// Compares what the compiler says of each configuration in a folder with the file beside it.
//
//   golden FOLDER [--update]
//
// For X.cfg, X.alerts holds every message without a pid, and X.model (where it exists) the text of --dump=model.
// The process works in the folder, so that messages name files without their path.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "runtime/base/file.h"

namespace {

using namespace hawser;

std::string text_of(const std::string& path) {
  const Result<std::string> text = read_whole_file(path);
  return text ? *text : "";
}

void write(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

struct Outcome {
  std::string alerts;
  std::string model;
};

Outcome run(const std::string& name) {
  grammar::Sources sources;
  const grammar::FileId file = sources.add(name, text_of(name));
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  const model::Config config = compiler::read_and_check({file}, sources, environment, {}, diagnostics);
  Outcome outcome;
  for (const grammar::Diagnostic& one : diagnostics.all()) outcome.alerts += grammar::render(one, sources, 0);
  outcome.alerts += diagnostics.has_fatal()     ? "=> refused\n"
                    : diagnostics.has_warning() ? "=> warnings\n"
                                                : "=> sound\n";
  outcome.model = model::dump(config);
  return outcome;
}

// False, with the first line that differs on stdout, when `path` does not hold `text`.
bool same(const std::string& path, const std::string& text, bool update) {
  const std::string expected = text_of(path);
  if (expected == text) return true;
  if (update) {
    write(path, text);
    fmt::print("updated {}\n", path);
    return true;
  }
  const std::size_t at = static_cast<std::size_t>(
      std::mismatch(expected.begin(), expected.end(), text.begin(), text.end()).first - expected.begin());
  const auto line_at = [&](const std::string& whole) {
    const std::size_t begin = at == 0 ? 0 : whole.rfind('\n', std::min(at, whole.size()) - 1) + 1;
    return begin < whole.size() ? whole.substr(begin, whole.find('\n', begin) - begin) : std::string("(end)");
  };
  fmt::print("{}: differs\n  expected: {}\n  is:       {}\n", path, line_at(expected), line_at(text));
  return false;
}

}  // namespace

int main(int count, char** words) {
  const bool update = count > 2 && std::strcmp(words[2], "--update") == 0;
  if (count < 2 || ::chdir(words[1]) != 0) {
    fmt::print("usage: golden FOLDER [--update]\n");
    return 2;
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    if (entry.path().extension() == ".cfg") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  bool all_same = !names.empty();
  for (const std::string& name : names) {
    const Outcome outcome = run(name + ".cfg");
    all_same = same(name + ".alerts", outcome.alerts, update) && all_same;
    if (std::filesystem::exists(name + ".model")) all_same = same(name + ".model", outcome.model, update) && all_same;
  }
  fmt::print("{} configurations\n", names.size());
  return all_same ? 0 : 1;
}
