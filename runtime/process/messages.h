// What the process itself says on stderr, in haproxy's form: "[ALERT]    (123) : text".
#pragma once

#include <string>
#include <string_view>

namespace hawser::process {

// "" when the system does not tell.
std::string executable_path();

enum class Severity : unsigned char { alert, warning, notice };

// Before the first message while starting stand two notices: the version and the executable's path.
class Messages {
 public:
  explicit Messages(bool silent) : silent_(silent) {}

  void say(Severity severity, std::string_view text);
  void alert(std::string_view text) { say(Severity::alert, text); }
  void warning(std::string_view text) { say(Severity::warning, text); }
  // A text that has its form already, without its last newline.
  void print(std::string_view rendered);
  // What another process of ours said, as it is.
  void pass_on(std::string_view text) const;
  // Neither prefix nor notices: "Note: …".
  void note(std::string_view text) const;

  // Where messages go; stderr at first.
  void set_descriptor(int descriptor) noexcept { descriptor_ = descriptor; }
  // No notices from here on.
  void started() noexcept { introduced_ = true; }

  bool silent() const noexcept { return silent_; }
  // Whose number stands in the messages: this process's, or, while reading files for a parent, the parent's.
  int pid() const noexcept;
  void set_pid(int pid) noexcept { pid_ = pid; }
  bool introduced() const noexcept { return introduced_; }

 private:
  void introduce();
  void write_out(std::string_view text) const;

  bool silent_;
  bool introduced_ = false;
  int descriptor_ = 2;
  int pid_ = 0;
};

}  // namespace hawser::process
