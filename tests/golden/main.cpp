// Compares what the compiler says of each configuration in a folder with the file beside it.
//
//   golden FOLDER [--update]
//
// For X.cfg, X.alerts holds every message without a pid, and X.STAGE (where it exists) the text of --dump=STAGE.
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

constexpr std::string_view kStages[] = {"words", "ast", "model", "plan", "ir", "ir-opt", "program"};

std::string alerts(const std::string& name) {
  grammar::Sources sources;
  const grammar::FileId file = sources.add(name, text_of(name));
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  compiler::read_and_check({file}, sources, environment, {}, diagnostics);
  std::string text;
  for (const grammar::Diagnostic& one : diagnostics.all()) text += grammar::render(one, sources, 0);
  text += diagnostics.has_fatal() ? "=> refused\n" : diagnostics.has_warning() ? "=> warnings\n" : "=> sound\n";
  return text;
}

std::string dump(const std::string& name, std::string_view stage) {
  grammar::Sources sources;
  const grammar::FileId file = sources.add(name, text_of(name));
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  // The Program as it is lowered; what passes make of it is seen in the IR.
  const compiler::Options options{.passes = stage == "ir-opt" ? opt::PassSet::all() : opt::PassSet::none()};
  return compiler::dump_text(stage, {file}, sources, environment, options, diagnostics).value_or("(refused)\n");
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
    all_same = same(name + ".alerts", alerts(name + ".cfg"), update) && all_same;
    for (const std::string_view stage : kStages) {
      const std::string path = fmt::format("{}.{}", name, stage);
      if (std::filesystem::exists(path)) all_same = same(path, dump(name + ".cfg", stage), update) && all_same;
    }
  }
  fmt::print("{} configurations\n", names.size());
  return all_same ? 0 : 1;
}
