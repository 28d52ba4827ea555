#include "runtime/process/messages.h"

#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "runtime/process/version.h"

namespace hawser::process {
namespace {

std::string_view name_of(Severity severity) noexcept {
  switch (severity) {
    case Severity::alert: return "[ALERT]";
    case Severity::warning: return "[WARNING]";
    case Severity::notice: return "[NOTICE]";
  }
  return "";
}

}  // namespace

std::string executable_path() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

int Messages::pid() const noexcept { return pid_ != 0 ? pid_ : getpid(); }

void Messages::say(Severity severity, std::string_view text) {
  print(fmt::format("{:<10} ({}) : {}", name_of(severity), pid(), text));
}

void Messages::print(std::string_view rendered) {
  if (silent_) return;
  introduce();
  write_out(fmt::format("{}\n", rendered));
}

void Messages::note(std::string_view text) const {
  if (!silent_) write_out(fmt::format("{}\n", text));
}

void Messages::pass_on(std::string_view text) const {
  if (!silent_) write_out(text);
}

void Messages::introduce() {
  if (introduced_) return;
  introduced_ = true;
  say(Severity::notice, fmt::format("hawser version is {}", kVersion));
  if (const std::string path = executable_path(); !path.empty()) {
    say(Severity::notice, fmt::format("path to executable is {}", path));
  }
}

void Messages::write_out(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads messages
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace hawser::process
