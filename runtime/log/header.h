// What stands before the text of a log line (manual, `log`, "format").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/abi/plan.h"
#include "runtime/io/clock.h"
#include "runtime/log/logger.h"

namespace hawser::log {

// Writes headers; the calendar part of a date is worked out once a second. One a thread.
class HeaderWriter {
 public:
  explicit HeaderWriter(std::uint32_t pid) : pid_(pid) {}

  // `level` is that of the message; the target's level_min is applied here.
  void append(std::string& out, const abi::LogTarget& target, Level level, std::string_view tag, const io::Now& now);

 private:
  void read_calendar(std::int64_t second);
  void append_iso(std::string& out, std::int64_t micros) const;

  std::uint32_t pid_;
  std::int64_t second_ = -1;
  std::string bsd_;         // "Nov 30 19:00:00"
  std::string iso_;         // "2026-11-30T19:00:00"
  std::string iso_offset_;  // "+01:00"
};

// How many bytes a whole line may have, its newline counted. haproxy 2.6 does not count the newline of a line
// that begins with a priority.
std::size_t line_bytes_max(const abi::LogTarget& target) noexcept;

}  // namespace hawser::log
