// The bytes in front of a log line, as measured with haproxy 2.6.12.
#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/log/header.h"

using namespace hawser;
using Format = abi::LogTarget::Format;

namespace {

// 2026-11-30T19:43:49.084328 UTC
constexpr io::Now kNow{0, 1'796'067'829'084'328};

std::string header_of(Format format, log::Level level = log::Level::info) {
  setenv("TZ", "UTC", 1);
  tzset();
  abi::LogTarget target;
  target.format = format;
  return log::header(target, level, "haproxy", kNow);
}

}  // namespace

TEST_CASE("a log line begins as haproxy's does, in every format") {
  const int pid = getpid();
  CHECK(header_of(Format::local) == fmt::format("<134>Nov 30 19:43:49 haproxy[{}]: ", pid));
  CHECK(header_of(Format::rfc3164) == fmt::format("<134>Nov 30 19:43:49 localhost haproxy[{}]: ", pid));
  CHECK(header_of(Format::rfc5424) == fmt::format("<134>1 2026-11-30T19:43:49.084328+00:00 - haproxy {} - - ", pid));
  CHECK(header_of(Format::raw).empty());
  CHECK(header_of(Format::short_) == "<6>");
  CHECK(header_of(Format::timed) == "<6>2026-11-30T19:43:49.084328+00:00 ");
  CHECK(header_of(Format::iso) == "2026-11-30T19:43:49.084328+00:00 ");
  CHECK(header_of(Format::priority) == "<134>");
}

TEST_CASE("the default format is local") { CHECK(abi::LogTarget{}.format == Format::local); }

TEST_CASE("a more severe message is capped to the least level of its target") {
  abi::LogTarget target;
  target.format = Format::priority;
  target.facility = 3;
  target.level_min = 5;
  CHECK(log::header(target, log::Level::alert, "t", kNow) == "<29>");
  CHECK(log::header(target, log::Level::debug, "t", kNow) == "<31>");
}

TEST_CASE("a date has the offset of the local time zone") {
  setenv("TZ", "XYZ+3:30", 1);
  tzset();
  abi::LogTarget target;
  target.format = Format::iso;
  CHECK(log::header(target, log::Level::info, "t", kNow) == "2026-11-30T16:13:49.084328-03:30 ");
  setenv("TZ", "UTC", 1);
  tzset();
}

TEST_CASE("the newline of a line with a priority is not counted") {
  abi::LogTarget target;
  target.length_max = 80;
  CHECK(log::line_bytes_max(target) == 81);
  target.format = Format::raw;
  CHECK(log::line_bytes_max(target) == 80);
}
