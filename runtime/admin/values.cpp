#include "runtime/admin/values.h"

#include <iterator>

#include <fmt/format.h>

namespace hawser::admin {
namespace {

std::string_view type_name(ValueType type) noexcept {
  switch (type) {
    case ValueType::u32: return "u32";
    case ValueType::u64: return "u64";
    case ValueType::s32: return "s32";
    case ValueType::text: return "str";
    case ValueType::absent: break;
  }
  return "";
}

std::string_view origin_name(char tag) noexcept {
  switch (tag) {
    case 'M': return "Metric";
    case 'S': return "Status";
    case 'K': return "Key";
    case 'C': return "Config";
    case 'P': return "Product";
  }
  return "Unknown";
}

std::string_view nature_name(char tag) noexcept {
  switch (tag) {
    case 'A': return "Age";
    case 'a': return "Avg";
    case 'C': return "Counter";
    case 'D': return "Duration";
    case 'G': return "Gauge";
    case 'L': return "Limit";
    case 'M': return "Max";
    case 'N': return "Name";
    case 'O': return "Output";
    case 'R': return "Rate";
    case 'S': return "State";
  }
  return "Unknown";
}

std::string_view scope_name(char tag) noexcept {
  switch (tag) {
    case 'P': return "Process";
    case 'S': return "Service";
    case 'C': return "Cluster";
  }
  return "Unknown";
}

}  // namespace

void append_plain(std::string& out, const Value& value) {
  if (value.type == ValueType::text) {
    out += value.text;
  } else if (value.present()) {
    fmt::format_to(std::back_inserter(out), "{}", value.number);
  }
}

void append_csv(std::string& out, const Value& value) {
  if (value.type != ValueType::text || value.text.find_first_of(",\"\r\n") == std::string::npos) {
    return append_plain(out, value);
  }
  out += '"';
  for (const char byte : value.text) {
    if (byte == '"') out += '"';
    out += byte;
  }
  out += '"';
}

void append_typed(std::string& out, Tags tags, const Value& value) {
  fmt::format_to(std::back_inserter(out), "{}:{}:", tags, type_name(value.type));
  append_plain(out, value);
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += byte;
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    } else {
      out += byte;
    }
  }
  out += '"';
}

void append_json(std::string& out, Tags tags, const Value& value) {
  fmt::format_to(std::back_inserter(out),
                 R"("tags":{{"origin":"{}","nature":"{}","scope":"{}"}},"value":{{"type":"{}","value":)",
                 origin_name(tags[0]), nature_name(tags[1]), scope_name(tags[2]), type_name(value.type));
  if (value.type == ValueType::text) {
    append_json_text(out, value.text);
  } else {
    append_plain(out, value);
  }
  out += '}';
}

}  // namespace hawser::admin
