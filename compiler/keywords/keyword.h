// One row a keyword: all that the compiler, the messages, the manual and the tests need to know of it.
//
// To add one, write a row and its lowering beside it in the file of its family (timeouts.cpp, proxy_options.cpp …):
//
//   constexpr Param kBacklogParams[] = {{.name = "conns", .take = Take::integer}};
//
//   void lower_backlog(ReadContext& cx, const Args& args) { cx.proxy->backlog = args.setting<std::uint32_t>(0); }
//
//   constexpr Keyword kRows[] = {
//       {.name = "backlog",
//        .sections = kClientSide,
//        .params = kBacklogParams,
//        .summary = "Give the kernel a hint of how many connections may wait to be accepted.",
//        .lower = lower_backlog},
//   };
//   static_assert(complete(kRows));   // a row without a summary or a lowering does not compile
//
// The machinery (section_reader.cpp) does the rest: it looks the word up, holds it against the section, reads the
// arguments as the params say, and calls the lowering with what it found. A lowering sees only sound arguments.
// What a keyword of `defaults` sets is inherited: a proxy begins as a copy of its defaults section.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/keywords/arguments.h"
#include "compiler/keywords/context.h"

namespace hawser::compiler {

// Which words may stand before the keyword.
enum class Prefixes : std::uint8_t { none, no, no_and_default };

// The modes in which a keyword means something: the manual's column. What HAProxy says of the others is said
// by the checks, since a proxy's mode may be set after its keywords.
enum class Modes : std::uint8_t { any, http };

// What HAProxy says of a frontend's keyword in a backend, and the reverse. {0}: the keyword, {1}: "backend 'app'",
// {2}: the capability that it lacks, {3}: the keyword without its first word. Not fatal: the keyword is checked, and means
// nothing there.
struct Elsewhere {
  bool fatal = false;
  std::string_view text = "'{0}' ignored because {1} has no {2} capability.";
};

struct Keyword {
  std::string_view name;  // one, two or three words: "maxconn", "timeout client"
  Section sections = Section::none;
  Modes modes = Modes::any;
  std::span<const Param> params = {};
  std::string_view summary;  // one sentence
  void (*lower)(ReadContext&, const Args&) = nullptr;
  Prefixes prefixes = Prefixes::none;
  Elsewhere elsewhere = {};
  Extra extra = {};
  bool named_defaults_only = false;                   // a rule: anonymous `defaults` refuse it
  grammar::Origin origin = grammar::Origin::parsing;  // how HAProxy's messages of this keyword begin
  std::string_view since = {};                        // HAProxy's version, when it is not in 2.6
  std::string_view deprecated = {};                   // what to use instead
};

// A word of a `bind` or `server` line, with the words that belong to it.
template <class Target>
struct Option {
  std::string_view name;
  std::span<const Param> params = {};
  std::string_view summary;
  void (*lower)(ReadContext&, Target&, const Args&) = nullptr;
};
using BindOption = Option<model::Bind>;
using ServerOption = Option<model::Server>;

// Every row says what it does and does it, and they are in the order of their names.
template <class Row, std::size_t count>
consteval bool complete(const Row (&rows)[count]) {
  for (std::size_t at = 0; at < count; ++at) {
    if (rows[at].name.empty() || rows[at].summary.empty() || rows[at].lower == nullptr) return false;
    if (rows[at].summary.back() != '.') return false;
    if (at > 0 && !(rows[at - 1].name < rows[at].name)) return false;
  }
  return true;
}

// The tables. Each stands beside its lowerings, in the file of its name.
std::span<const Keyword> global_process_keywords();
std::span<const Keyword> global_service_keywords();
std::span<const Keyword> global_environment_keywords();
std::span<const Keyword> global_tuning_keywords();
std::span<const Keyword> listener_keywords();        // bind, maxconn, backlog
std::span<const Keyword> server_keywords();          // server, default-server, balance, retries, http-reuse
std::span<const Keyword> proxy_keywords();           // mode, id, description, disabled, enabled, errorfile
std::span<const Keyword> proxy_option_keywords();    // option …
std::span<const Keyword> timeout_keywords();         // timeout …
std::span<const Keyword> log_keywords();             // log, log-tag, log-format
std::span<const Keyword> command_socket_keywords();  // stats … of global
std::span<const Keyword> rule_keywords();            // acl, http-request …
std::span<const Keyword> tcp_rule_keywords();        // tcp-request …, tcp-response …
std::span<const BindOption> bind_options();
std::span<const BindOption> command_socket_options();
std::span<const ServerOption> server_options();

// All of the keywords above.
std::span<const std::span<const Keyword>> keyword_tables();

// Words of HAProxy's language that hawser refuses by name (later.cpp).
enum class WordKind : std::uint8_t { section, global, proxy, bind, server };
struct LaterWord {
  std::string_view name;
  Section sections = Section::none;  // of `global` and `proxy`
};
std::span<const LaterWord> later_words(WordKind kind);

// Words that HAProxy itself refuses, and the reason that it gives.
struct RemovedWord {
  WordKind kind = WordKind::proxy;
  std::string_view name;
  grammar::Origin origin = grammar::Origin::parsing;
  std::string_view text;
};
std::span<const RemovedWord> removed_words();

}  // namespace hawser::compiler
