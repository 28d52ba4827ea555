// Fetches that look for a name among pairs: parameters of the URL, and cookies.
#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/exec/evaluation.h"
#include "runtime/exec/values.h"

namespace hawser::exec {
namespace {

using abi::Sample;

bool same_name(std::string_view a, std::string_view b, bool ignore_case) noexcept {
  return ignore_case ? equal_ignoring_case(a, b) : a == b;
}

// The next parameter of that name from `at` on; any parameter when the name is empty. Parameters are NAME=VALUE, behind '?' or the given
// delimiter, parted by '&', ';' and the delimiter itself.
bool next_parameter(std::string_view url, std::string_view name, char delimiter, bool ignore_case, std::size_t& at,
                    std::string_view& value) noexcept {
  const char parts[] = {'&', ';', delimiter};
  const std::string_view separators(parts, sizeof parts);
  while (at <= url.size()) {
    const std::size_t end = std::min(url.find_first_of(separators, at), url.size());
    const std::string_view pair = url.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (!name.empty() && !same_name(pair.substr(0, equals), name, ignore_case)) continue;
    value = pair.substr(equals + 1);
    return true;
  }
  return false;
}

Sample parameter(FetchCall& call) noexcept {
  const http::Head* request = call.request();
  if (request == nullptr || (call.next && !call.every())) return Sample::absent();
  const std::string_view delimiters = call.text(1);
  const char delimiter = delimiters.empty() ? '?' : delimiters.front();
  const std::string_view url = request->target;
  std::size_t at = call.cursor.offset;
  if (!call.next) {
    at = std::min(url.find(delimiter), url.size()) + 1;  // without one there is nothing, nor a next one
  }
  std::string_view value;
  const bool found = next_parameter(url, call.text(0), delimiter, call.has(2), at, value);
  call.cursor.offset = static_cast<std::uint32_t>(at);
  return found ? Sample::text(value) : Sample::absent();
}

// The end of a cookie: at ';' or ',' outside of quotes.
std::size_t end_of_cookie(std::string_view text, std::size_t from) noexcept {
  bool quoted = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted && c == '\\') {
      ++at;
    } else if (!quoted && (c == ';' || c == ',')) {
      return at;
    }
  }
  return text.size();
}

// Whether nothing but a name and its '=' may be left up to the end of the field, or to a comma, which begins another: a cookie without
// a value is not seen there (haproxy 2.6 does the same).
bool is_last_without_value(std::string_view field, std::size_t from, std::size_t end, std::string_view name) noexcept {
  if (end < field.size() && field[end] == ';') return false;
  const bool first = from == 0 || field[from - 1] == ',';
  std::string_view rest = field.substr(from, end - from);
  if (first) rest = trimmed(rest);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
  return rest.size() <= name.size() + 1;
}

// The next cookie of that name; any when the name is empty.
bool next_cookie(const http::Head& head, std::string_view name, Frame::Cursor& cursor,
                 std::string_view& value) noexcept {
  for (; cursor.field < head.fields.size(); ++cursor.field, cursor.offset = 0) {
    const http::Field& field = head.fields[cursor.field];
    if (field.removed || field.name != "cookie") continue;
    while (cursor.offset <= field.value.size()) {
      const std::size_t end = end_of_cookie(field.value, cursor.offset);
      if (is_last_without_value(field.value, cursor.offset, end, name)) {
        cursor.offset = static_cast<std::uint32_t>(end + 1);
        continue;
      }
      const std::string_view pair = field.value.substr(cursor.offset, end - cursor.offset);
      cursor.offset = static_cast<std::uint32_t>(end + 1);
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) continue;
      if (!name.empty() && trimmed(pair.substr(0, equals)) != name) continue;
      value = trimmed(pair.substr(equals + 1));
      return true;
    }
  }
  return false;
}

// All cookies of a name in a test; else the last, or without a name the first (haproxy 2.6 does the same).
Sample cookie(FetchCall& call) noexcept {
  const http::Head* request = call.request();
  if (request == nullptr || (call.next && !call.every())) return Sample::absent();
  const std::string_view name = call.text(0);
  std::string_view value;
  if (!next_cookie(*request, name, call.cursor, value)) return Sample::absent();
  if (!call.every() && !name.empty()) {
    std::string_view later;
    while (next_cookie(*request, name, call.cursor, later)) value = later;
  }
  return Sample::text(value);
}

}  // namespace

Sample fetch_url_param(FetchCall& call) noexcept { return parameter(call); }
Sample fetch_urlp(FetchCall& call) noexcept { return parameter(call); }
Sample fetch_req_cook(FetchCall& call) noexcept { return cookie(call); }
Sample fetch_cook(FetchCall& call) noexcept { return cookie(call); }

}  // namespace hawser::exec
