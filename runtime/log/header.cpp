#include "runtime/log/header.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include <fmt/format.h>

namespace hawser::log {
namespace {

using Format = abi::LogTarget::Format;

constexpr std::int64_t kMicros = 1'000'000;

bool has_priority(Format format) noexcept { return format != Format::raw && format != Format::iso; }

}  // namespace

void HeaderWriter::append(std::string& out, const abi::LogTarget& target, Level level, std::string_view tag,
                          const io::Now& now) {
  const std::int64_t second = now.wall_us / kMicros;
  const std::int64_t micros = now.wall_us % kMicros;
  if (second != second_) read_calendar(second);
  const unsigned severity = std::max<unsigned>(static_cast<unsigned>(level), target.level_min);
  const unsigned priority = target.facility * 8u + severity;
  auto to = std::back_inserter(out);
  switch (target.format) {
    case Format::local: fmt::format_to(to, "<{}>{} {}[{}]: ", priority, bsd_, tag, pid_); break;
    // "localhost" is what haproxy 2.6 sends for a host unless `log-send-hostname` names one.
    case Format::rfc3164: fmt::format_to(to, "<{}>{} localhost {}[{}]: ", priority, bsd_, tag, pid_); break;
    case Format::rfc5424:
      fmt::format_to(to, "<{}>1 ", priority);
      append_iso(out, micros);
      fmt::format_to(to, " - {} {} - - ", tag, pid_);
      break;
    case Format::priority: fmt::format_to(to, "<{}>", priority); break;
    case Format::short_: fmt::format_to(to, "<{}>", severity); break;
    case Format::timed:
      fmt::format_to(to, "<{}>", severity);
      append_iso(out, micros);
      out += ' ';
      break;
    case Format::iso:
      append_iso(out, micros);
      out += ' ';
      break;
    case Format::raw: break;
  }
}

void HeaderWriter::append_iso(std::string& out, std::int64_t micros) const {
  fmt::format_to(std::back_inserter(out), "{}.{:06}{}", iso_, micros, iso_offset_);
}

void HeaderWriter::read_calendar(std::int64_t second) {
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  second_ = second;
  const std::time_t time = static_cast<std::time_t>(second);
  std::tm tm{};
  localtime_r(&time, &tm);
  bsd_ = fmt::format("{} {:2} {:02}:{:02}:{:02}", kMonths[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
  iso_ = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                     tm.tm_min, tm.tm_sec);
  const long minutes = std::labs(tm.tm_gmtoff) / 60;
  iso_offset_ = fmt::format("{}{:02}:{:02}", tm.tm_gmtoff < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::size_t line_bytes_max(const abi::LogTarget& target) noexcept {
  return target.length_max + (has_priority(target.format) ? 1 : 0);
}

std::string header(const abi::LogTarget& target, Level level, std::string_view tag, const io::Now& now) {
  std::string out;
  HeaderWriter(static_cast<std::uint32_t>(getpid())).append(out, target, level, tag, now);
  return out;
}

}  // namespace hawser::log
