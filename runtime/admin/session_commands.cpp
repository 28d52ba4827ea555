#include "runtime/admin/session_commands.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace hawser::admin {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ms;
};
constexpr Unit kUnits[] = {{"", 1'000}, {"s", 1'000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// Nothing for what is no time, or longer than a timer lasts.
std::optional<std::uint32_t> read_delay_ms(std::string_view word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
  if (unit == "us") return number / 1'000 + (number % 1'000 != 0 ? 1 : 0);
  for (const Unit& each : kUnits) {
    if (each.name != unit) continue;
    const std::uint64_t ms = number * each.ms;
    if (ms > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(ms);
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Answer> lower_level(Session& session, abi::AccessLevel level) {
  session.level = level;
  return answer_text("");
}

std::string_view level_name(abi::AccessLevel level) {
  switch (level) {
    case abi::AccessLevel::user: return "user";
    case abi::AccessLevel::oper: return "operator";
    case abi::AccessLevel::admin: return "admin";
  }
  return "unknown";
}

std::unique_ptr<Answer> answer_level(const Session& session) {
  return answer_text(std::string(level_name(session.level)) + '\n');
}

std::unique_ptr<Answer> set_timeout(const Command& command, Session& session) {
  if (command.words.size() < 3 || command.words[2] != "cli") return answer_text("'set timeout' only supports 'cli'.\n");
  if (command.words.size() < 4) return answer_text("Expects an integer value.\n");
  const std::optional<std::uint32_t> delay_ms = read_delay_ms(command.words[3]);
  if (!delay_ms) return answer_text("Invalid timeout value.\n");
  session.timeout_ms = *delay_ms;
  return answer_text("");
}

}  // namespace hawser::admin
