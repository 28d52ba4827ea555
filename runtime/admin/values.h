// The values that `show info` and `show stat` print, in the forms that HAProxy prints them in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hawser::admin {

enum class ValueType : std::uint8_t { absent, u32, u64, s32, text };

struct Value {
  ValueType type = ValueType::absent;
  std::int64_t number = 0;
  std::string text;

  static Value u32(std::int64_t number) { return {ValueType::u32, number, {}}; }
  static Value u64(std::int64_t number) { return {ValueType::u64, number, {}}; }
  static Value s32(std::int64_t number) { return {ValueType::s32, number, {}}; }
  static Value of(std::string_view text) { return {ValueType::text, 0, std::string(text)}; }
  bool present() const noexcept { return type != ValueType::absent; }
};

// Origin, nature and scope of a value (management manual, 9.2), a letter each: "MGP" is a metric, a gauge, of the process.
using Tags = std::string_view;

void append_plain(std::string& out, const Value& value);
// A CSV cell: quoted when it has a comma, a quote or a line break.
void append_csv(std::string& out, const Value& value);
// "MGP:u32:0"
void append_typed(std::string& out, Tags tags, const Value& value);
// "\"tags\":{…},\"value\":{…}"
void append_json(std::string& out, Tags tags, const Value& value);
void append_json_text(std::string& out, std::string_view text);

}  // namespace hawser::admin
