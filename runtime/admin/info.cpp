// `show info`: the lines of info_fields.def as text, typed, or JSON.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "runtime/admin/answer.h"
#include "runtime/admin/values.h"
#include "runtime/io/clock.h"

namespace hawser::admin {
namespace {

struct Field {
  std::string_view name;
  Tags tags;
  Value value;
};

Value make(ValueType type, std::int64_t number) { return {type, number, {}}; }
Value make(ValueType, Value value) { return value; }

// An empty text is no line: `description` stands there only when the file has one.
Value text(std::string_view text) { return text.empty() ? Value{} : Value::of(text); }

std::string uptime_text(std::int64_t seconds) {
  return fmt::format("{}d {}h{:02}m{:02}s", seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

// Of all frontends together.
std::int64_t sum_frontends(const Subject& subject, tables::Count tables::Counters::*which) {
  std::int64_t sum = 0;
  for (const tables::Installed::ProxyRow& proxy : subject.installed.proxies()) {
    if (proxy.plan->is_frontend) sum += proxy.state->frontend.counted(which);
  }
  return sum;
}

std::vector<Field> read_fields(const Subject& subject) {
  const Facts& facts = subject.facts;
  const tables::CounterSet& process = subject.installed.state().process;
  const auto uptime_s = static_cast<std::int64_t>(io::Now::read().monotonic_us / 1'000'000) -
                        static_cast<std::int64_t>(facts.started_monotonic_s);
  const NativeFacts native = facts.native ? facts.native() : NativeFacts();
  std::vector<Field> fields;
#define ABSENT \
  Value {}
#define SUM(which) process.sum(&tables::Counters::which)
#define FRONTENDS(which) sum_frontends(subject, &tables::Counters::which)
#define INFO(name, tags, type, value) fields.push_back({name, tags, make(ValueType::type, value)});
#include "runtime/admin/info_fields.def"
#undef INFO
#undef FRONTENDS
#undef SUM
#undef ABSENT
  return fields;
}

bool has_word(const Command& command, std::string_view word) {
  return std::find(command.words.begin() + 2, command.words.end(), word) != command.words.end();
}

}  // namespace

std::unique_ptr<Answer> answer_info(const Subject& subject, const Command& command) {
  if (has_word(command, "desc")) return answer_text("'show info desc' is not supported by hawser yet.\n");
  if (has_word(command, "float")) return answer_text("'show info float' is not supported by hawser yet.\n");
  const bool typed = has_word(command, "typed");
  const bool json = has_word(command, "json");
  std::string out;
  std::size_t position = 0;
  for (const Field& field : read_fields(subject)) {
    const std::size_t at = position++;
    if (!field.value.present()) continue;
    if (json) {
      fmt::format_to(std::back_inserter(out), R"({}{{"field":{{"pos":{},"name":"{}"}},"processNum":1,)",
                     out.empty() ? "[" : ",", at, field.name);
      append_json(out, field.tags, field.value);
      out += '}';
    } else if (typed) {
      fmt::format_to(std::back_inserter(out), "{}.{}.1:", at, field.name);
      append_typed(out, field.tags, field.value);
      out += '\n';
    } else {
      fmt::format_to(std::back_inserter(out), "{}: ", field.name);
      append_plain(out, field.value);
      out += '\n';
    }
  }
  if (json) out += "]\n";
  return answer_text(std::move(out));
}

}  // namespace hawser::admin
