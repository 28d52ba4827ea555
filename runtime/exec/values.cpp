#include "runtime/exec/values.h"

#include <cstring>

namespace hawser::exec {
namespace {

bool has_name(const http::Field& field, std::string_view name) noexcept {
  return !field.removed && (name.empty() || http::same_name(field.name, name));
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::size_t end_of_element(std::string_view value, std::size_t from) noexcept {
  // Most values are no lists, and then quotes mean nothing.
  if (from == value.size() || std::memchr(value.data() + from, ',', value.size() - from) == nullptr)
    return value.size();
  bool quoted = false;
  for (std::size_t at = from; at < value.size(); ++at) {
    const char c = value[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted && c == '\\') {
      ++at;
    } else if (c == ',' && !quoted) {
      return at;
    }
  }
  return value.size();
}

bool next_value(const http::Head& head, std::string_view name, bool split, Frame::Cursor& cursor,
                std::string_view& value) noexcept {
  for (; cursor.field < head.fields.size(); ++cursor.field, cursor.offset = 0) {
    const http::Field& field = head.fields[cursor.field];
    if (!has_name(field, name) || cursor.offset > field.value.size()) continue;
    const std::size_t end = split ? end_of_element(field.value, cursor.offset) : field.value.size();
    value = trimmed(field.value.substr(cursor.offset, end - cursor.offset));
    cursor.offset = static_cast<std::uint32_t>(end + 1);
    return true;
  }
  return false;
}

bool numbered_value(const http::Head& head, std::string_view name, bool split, std::int64_t number,
                    std::string_view& value) noexcept {
  Frame::Cursor cursor;
  if (number < 0) {
    std::int64_t count = 0;
    std::string_view any;
    while (next_value(head, name, split, cursor, any)) {
      value = any;
      ++count;
    }
    if (number == -1 || count == 0) return count > 0;
    number += count + 1;
    if (number <= 0) return false;
    cursor = {};
  }
  for (; number > 0; --number) {
    if (!next_value(head, name, split, cursor, value)) return false;
  }
  return true;
}

}  // namespace hawser::exec
