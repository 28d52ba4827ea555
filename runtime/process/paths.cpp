// Files and directories of the command line.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "runtime/process/run.h"

namespace hawser::process {
namespace {

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// False when the directory cannot be read.
bool list_directory(const std::string& path, std::vector<std::string>& files) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (!directory) return false;
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name.front() != '.' && name.size() > 4 && name.ends_with(".cfg") && is_file(path + "/" + name)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) files.push_back(path + (path.ends_with('/') ? "" : "/") + name);
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths, Messages& messages) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    struct stat status {};
    const bool there = stat(path.c_str(), &status) == 0;
    if (there && !S_ISDIR(status.st_mode)) {
      files.push_back(path);
    } else if (!there || !list_directory(path, files)) {
      messages.alert(
          fmt::format("config : Cannot open configuration file/directory {} : {}", path, std::strerror(errno)));
      return std::nullopt;
    }
  }
  return files;
}

}  // namespace hawser::process
