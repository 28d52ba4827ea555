// Reads what clients of the command socket send: lines, `;` between commands, escapes, payloads.
//
// The rules are haproxy 2.6's (management manual, 9.3), measured: `\` takes the next byte as it is ("\;", "\ ", "\\");
// words are separated by blanks; there are no quotes; a carriage return before the newline is a blank. A line whose last
// word is "<<" goes on with a payload, up to an empty line; "<<TAG" (HAProxy 3.x) up to a line that says TAG.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::admin {

inline constexpr std::size_t kLineBytesMax = 16384;  // as much as a buffer of haproxy holds
inline constexpr std::size_t kPayloadBytesMax = 128 * 1024;
inline constexpr std::size_t kTagBytesMax = 64;
inline constexpr std::size_t kWordsMax = 64;  // the rest of a longer command is ignored

// One command: its words, and, for the last command of a line, the payload.
struct Command {
  std::vector<std::string> words;
  bool has_payload = false;
  std::string payload;
};

// Takes bytes as they come and gives commands as they are complete.
class LineReader {
 public:
  void push(std::string_view bytes) { pending_ += bytes; }

  enum class State : unsigned char {
    command,   // `command` is the next one
    waiting,   // more bytes are needed
    too_long,  // the line or its payload is longer than may be: the connection is of no more use
  };
  // The next command. `ends_line`: no other follows on the same line.
  State next(Command& command, bool& ends_line);

  // Whether nothing but complete lines was pushed.
  bool empty() const noexcept { return pending_.size() == taken_ && queue_.size() == queued_; }

 private:
  State read_line();
  State read_payload();
  void compact();

  std::string pending_;
  std::size_t taken_ = 0;  // bytes of `pending_` that are done with
  std::vector<Command> queue_;
  std::size_t queued_ = 0;
  bool in_payload_ = false;
  std::size_t payload_at_ = 0;  // where the payload's first line stands that was not looked at
  std::string tag_;
};

// The commands of one line without its newline. A payload is announced by `has_payload` of the last; `tag` is its end.
std::vector<Command> split_line(std::string_view line, std::string& tag);

}  // namespace hawser::admin
