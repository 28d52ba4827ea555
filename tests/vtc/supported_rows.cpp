// Prints every row of the language that hawser supports, one a line: "KIND NAME". The coverage test reads it.
#include <fmt/format.h>

#include "compiler/keywords/keyword.h"

namespace {

void print(std::string_view kind, std::string_view name) { fmt::print("{} {}\n", kind, name); }

void print_keywords() {
  using namespace hawser::compiler;
  for (const auto& table : keyword_tables()) {
    for (const Keyword& row : table) print("keyword", row.name);
  }
  for (const BindOption& row : bind_options()) print("bind", row.name);
  for (const BindOption& row : command_socket_options()) print("socket", row.name);
  for (const ServerOption& row : server_options()) print("server", row.name);
}

void print_rules() {
  constexpr unsigned request = 1;
  constexpr unsigned response = 2;
#define ACTION(id, name, rulesets, ...)                          \
  if (((rulesets)&request) != 0) print("http-request", name);    \
  if (((rulesets)&response) != 0) print("http-response", name);
#include "runtime/abi/actions.def"
#undef ACTION
}

void print_samples() {
#define FETCH(id, name, ...) print("fetch", name);
#include "runtime/abi/fetches.def"
#undef FETCH
#define CONVERTER(id, name, ...) print("converter", name);
#include "runtime/abi/converters.def"
#undef CONVERTER
#define ALIAS(id, name, ...) print("alias", name);
#include "runtime/abi/aliases.def"
#undef ALIAS
}

void print_commands() {
  enum State { now, later };
#define COMMAND(id, words, arguments, level, state, ...) \
  if (state == now) print("command", words);
#include "runtime/abi/commands.def"
#undef COMMAND
}

}  // namespace

int main() {
  print_keywords();
  print_rules();
  print_samples();
  print_commands();
  return 0;
}
