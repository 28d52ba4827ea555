#include "runtime/exec/dates.h"

#include <cstring>
#include <ctime>

namespace hawser::exec {
namespace {

void write_two(char* at, int value) noexcept {
  at[0] = static_cast<char>('0' + value / 10 % 10);
  at[1] = static_cast<char>('0' + value % 10);
}

// 20 bytes: "10/Oct/2026:13:55:36".
void write_date(char* at, const std::tm& date) noexcept {
  static constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  write_two(at, date.tm_mday);
  at[2] = '/';
  std::memcpy(at + 3, kMonths + std::size_t{3} * static_cast<std::size_t>(date.tm_mon), 3);
  at[6] = '/';
  write_two(at + 7, (date.tm_year + 1900) / 100);
  write_two(at + 9, date.tm_year % 100);
  at[11] = ':';
  write_two(at + 12, date.tm_hour);
  at[14] = ':';
  write_two(at + 15, date.tm_min);
  at[17] = ':';
  write_two(at + 18, date.tm_sec);
}

// 5 bytes: "+0200".
void write_offset(char* at, long seconds) noexcept {
  at[0] = seconds < 0 ? '-' : '+';
  const int minutes = static_cast<int>((seconds < 0 ? -seconds : seconds) / 60);
  write_two(at + 1, minutes / 60);
  write_two(at + 3, minutes % 60);
}

}  // namespace

void refresh(DateCache& cache, std::int64_t wall_us) noexcept {
  const std::int64_t second = wall_us / 1'000'000;
  if (second == cache.second) return;
  cache.second = second;
  const auto time = static_cast<std::time_t>(second);
  std::tm date{};
  localtime_r(&time, &date);
  write_date(cache.local, date);
  write_offset(cache.offset, date.tm_gmtoff);
  gmtime_r(&time, &date);
  write_date(cache.universal, date);
}

void append_local_ms(std::string& text, DateCache& cache, std::int64_t wall_us) {
  refresh(cache, wall_us);
  const auto ms = static_cast<int>(wall_us / 1000 % 1000);
  text.append(cache.local, sizeof cache.local);
  char end[4] = {'.', static_cast<char>('0' + ms / 100)};
  write_two(end + 2, ms % 100);
  text.append(end, sizeof end);
}

void append_local(std::string& text, DateCache& cache, std::int64_t wall_us) {
  refresh(cache, wall_us);
  text.append(cache.local, sizeof cache.local);
  text += ' ';
  text.append(cache.offset, sizeof cache.offset);
}

void append_universal(std::string& text, DateCache& cache, std::int64_t wall_us) {
  refresh(cache, wall_us);
  text.append(cache.universal, sizeof cache.universal);
  text += " +0000";
}

}  // namespace hawser::exec
