// What the serving process and its loader say to each other: one message a packet, with descriptors beside it. Both are
// the same program, so a message is a plain struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/process/memory_file.h"

namespace hawser::process {

inline constexpr std::size_t kMessageTextMax = 1024;
inline constexpr std::size_t kMessageDescriptorsMax = 4;

struct Message {
  enum class Kind : std::uint32_t {
    load,  // asks: nothing. Answers: descriptors result, plan, program; or a text why not. Once
           // settled, there is a descriptor behind them: what was said
    native,  // asks: number, cpu_seconds, a descriptor (the Program). Answers: number, milliseconds and peak_kb or kept, a
             // descriptor (the code); or a text why not
    settle,  // asks and answers: nothing more
  };
  Kind kind = Kind::load;
  std::uint32_t number = 0;
  std::uint32_t cpu_seconds = 0;
  std::uint32_t milliseconds = 0;
  bool symbols = false;
  bool kept = false;          // the code was made before
  std::uint32_t peak_kb = 0;  // the most memory that the job had
  std::uint16_t text_bytes = 0;
  char text[kMessageTextMax] = {};

  void set_text(std::string_view value) noexcept;
  std::string_view get_text() const noexcept;
};

// A connected pair of sockets, both closed on exec.
Result<std::pair<OwnedDescriptor, OwnedDescriptor>> make_channel();

bool send_message(int socket, const Message& message, std::span<const int> descriptors) noexcept;

enum class Received : unsigned char { message, nothing, closed };
enum class Waiting : bool { no, yes };
Received receive_message(int socket, Waiting waiting, Message& message, std::vector<OwnedDescriptor>& descriptors);

}  // namespace hawser::process
