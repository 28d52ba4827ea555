// Prints every row of the language that hawser supports, one a line: "KIND NAME". The coverage test reads it.
// With --dictionary, the words of expressions alone, as libFuzzer wants them: tests/fuzz/dictionaries/samples.dict.
#include <cstring>

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
  constexpr unsigned connection = 4;
  constexpr unsigned session = 8;
  constexpr unsigned content = 16;
  constexpr unsigned answer = 32;
#define ACTION(id, name, rulesets, ...)                            \
  if (((rulesets)&request) != 0) print("http-request", name);      \
  if (((rulesets)&response) != 0) print("http-response", name);    \
  if (((rulesets)&connection) != 0) print("tcp-connection", name); \
  if (((rulesets)&session) != 0) print("tcp-session", name);       \
  if (((rulesets)&content) != 0) print("tcp-content", name);       \
  if (((rulesets)&answer) != 0) print("tcp-response", name);
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

// Names, those of criteria, and what stands around them.
void print_dictionary() {
  fmt::print("# The words of expressions: build/release/tests/vtc/supported_rows --dictionary\n");
  const auto word = [](std::string_view text) { fmt::print("\"{}\"\n", text); };
#define FETCH(id, name, ...) word(name);
#include "runtime/abi/fetches.def"
#undef FETCH
#define CONVERTER(id, name, ...) word("," name);
#include "runtime/abi/converters.def"
#undef CONVERTER
#define ACL(name, ...) word(name);
#include "compiler/resolve/acls.def"
#undef ACL
#define ALIAS(id, name, ...) word("%" name);
#include "runtime/abi/aliases.def"
#undef ALIAS
  for (const char* more :
       {" -m str ",     " -m beg ",  " -m end ", " -m sub ", " -m dir ", " -m dom ", " -m reg ", " -m len ", " -m int ",
        " -m ip ",      " -m found", " -m bool", " -i ",     " -n ",     " -- ",     "%[",       "]",        "%{+Q}",
        "%{+X}",        "%{+E}",     "(",        ")",        ",",        " eq ",     " ge ",     " lt ",     "1:2",
        "192.0.2.0/24", "::1/64",    "txn.x",    "sess.x",   "proc.x",   "(?i)",     "[a-z]+",   "^",        "$",
        "{2,3}",        "(a|b)*",    " or ",     "!"}) {
    word(more);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "--dictionary") == 0) {
    print_dictionary();
    return 0;
  }
  print_keywords();
  print_rules();
  print_samples();
  print_commands();
  return 0;
}
