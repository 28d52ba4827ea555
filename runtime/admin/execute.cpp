// From the words of a command to its answer.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "runtime/admin/acl.h"
#include "runtime/admin/answer.h"
#include "runtime/admin/session_commands.h"
#include "runtime/admin/state_commands.h"

namespace hawser::admin {
namespace {

// Begins the answer to one command.
using Begin = std::unique_ptr<Answer> (*)(const Subject& subject, const Command& command, Session& session);

// A `now` row has a function below: without one it does not compile.
#define FUNCTION_now(id) std::unique_ptr<Answer> begin_##id(const Subject&, const Command&, Session&);
#define FUNCTION_later(id)
#define COMMAND(id, words, arguments, level, state, summary) FUNCTION_##state(id)
#include "runtime/abi/commands.def"
#undef COMMAND
#undef FUNCTION_later
#undef FUNCTION_now

struct Row {
  std::string_view words;
  std::string_view arguments;
  abi::AccessLevel level;
  Begin begin;  // null: refused by name
  std::string_view summary;
};

#define BEGIN_now(id) begin_##id
#define BEGIN_later(id) nullptr
constexpr Row kRows[] = {
#define COMMAND(id, words, arguments, level, state, summary) \
  {words, arguments, abi::AccessLevel::level, BEGIN_##state(id), summary},
#include "runtime/abi/commands.def"
#undef COMMAND
};
#undef BEGIN_later
#undef BEGIN_now

// How many words of `command` are those of the row; 0 unless all of the row's are there.
std::size_t words_matched(std::string_view row, const std::vector<std::string>& command) {
  std::size_t count = 0;
  while (!row.empty()) {
    const std::size_t blank = row.find(' ');
    const std::string_view word = row.substr(0, blank);
    if (count >= command.size() || command[count] != word) return 0;
    ++count;
    row = blank == std::string_view::npos ? std::string_view() : row.substr(blank + 1);
  }
  return count;
}

const Row* find_row(const std::vector<std::string>& command) {
  const Row* best = nullptr;
  std::size_t most = 0;
  for (const Row& row : kRows) {
    const std::size_t matched = words_matched(row.words, command);
    if (matched > most) {
      most = matched;
      best = &row;
    }
  }
  return best;
}

// Whether `row` is worth showing to somebody who wrote `command`: it begins with the same word, or has a word that begins
// as one of the command's does.
bool resembles(const Row& row, const std::vector<std::string>& command) {
  const std::string_view first = row.words.substr(0, row.words.find(' '));
  if (command[0] == first) return true;
  const std::string_view rest = row.words.size() > first.size() ? row.words.substr(first.size() + 1) : first;
  for (const std::string& word : command) {
    if (word.size() >= 3 && (rest.starts_with(word) || first.starts_with(word))) return true;
  }
  return false;
}

// The commands that are carried out, or, of them, those that resemble `command`.
std::string list_commands(const std::vector<std::string>& command, bool& narrowed) {
  std::string matching;
  std::string all;
  for (const Row& row : kRows) {
    if (row.begin == nullptr || row.summary.empty()) continue;
    const std::string line = fmt::format(
        "  {:<39} : {}\n",
        row.arguments.empty() ? std::string(row.words) : fmt::format("{} {}", row.words, row.arguments), row.summary);
    const bool always = row.words == "help" || row.words == "prompt" || row.words == "quit";
    if (!command.empty() && !always && resembles(row, command)) matching += line;
    all += line;
  }
  narrowed = !matching.empty();
  return narrowed ? matching : all;
}

std::unique_ptr<Answer> begin_help(const Subject&, const Command& command, Session&) {
  bool narrowed = false;
  const std::string list = list_commands({command.words.begin() + 1, command.words.end()}, narrowed);
  return answer_text("The following commands are valid at this level:\n" + list);
}
std::unique_ptr<Answer> begin_prompt(const Subject&, const Command&, Session& session) {
  session.prompt = !session.prompt;
  return answer_text("");
}
std::unique_ptr<Answer> begin_quit(const Subject&, const Command&, Session& session) {
  session.quit = true;
  return answer_text("");
}
// Of another hawser that starts with -x. The sockets go before the text, which is none.
std::unique_ptr<Answer> begin_get_sockets(const Subject& subject, const Command&, Session& session) {
  session.quit = true;
  if (!session.expose_listeners || !subject.facts.give_listeners) return answer_text("Permission denied\n");
  subject.facts.give_listeners(session.connection);
  return answer_text("");
}
std::unique_ptr<Answer> begin_show_info(const Subject& subject, const Command& command, Session&) {
  return answer_info(subject, command);
}
std::unique_ptr<Answer> begin_show_stat(const Subject& subject, const Command& command, Session&) {
  return answer_stat(subject, command);
}
std::unique_ptr<Answer> begin_show_version(const Subject& subject, const Command&, Session&) {
  return answer_text(subject.facts.version + "\n");
}

std::unique_ptr<Answer> begin_oper_level(const Subject&, const Command&, Session& session) {
  return lower_level(session, abi::AccessLevel::oper);
}
std::unique_ptr<Answer> begin_user_level(const Subject&, const Command&, Session& session) {
  return lower_level(session, abi::AccessLevel::user);
}
std::unique_ptr<Answer> begin_show_cli_level(const Subject&, const Command&, Session& session) {
  return answer_level(session);
}
std::unique_ptr<Answer> begin_set_timeout(const Subject&, const Command& command, Session& session) {
  return set_timeout(command, session);
}
std::unique_ptr<Answer> begin_show_cli_sockets(const Subject& subject, const Command&, Session&) {
  return answer_sockets(subject);
}
std::unique_ptr<Answer> begin_show_env(const Subject&, const Command& command, Session&) {
  return answer_environment(command);
}
std::unique_ptr<Answer> begin_show_backend(const Subject& subject, const Command&, Session&) {
  return answer_backends(subject);
}
std::unique_ptr<Answer> begin_get_var(const Subject& subject, const Command& command, Session&) {
  return answer_variable(subject, command);
}
std::unique_ptr<Answer> begin_clear_counters(const Subject& subject, const Command& command, Session& session) {
  return clear_counters(subject, command, session);
}

#define BEGIN_ACL(verb)                                                                                  \
  std::unique_ptr<Answer> begin_##verb##_acl(const Subject& subject, const Command& command, Session&) { \
    return answer_##verb##_acl(subject, command);                                                        \
  }
BEGIN_ACL(show)
BEGIN_ACL(get)
BEGIN_ACL(add)
BEGIN_ACL(del)
BEGIN_ACL(clear)
BEGIN_ACL(prepare)
BEGIN_ACL(commit)
#undef BEGIN_ACL

std::string unknown(const std::vector<std::string>& command) {
  bool narrowed = false;
  const std::string list = list_commands(command, narrowed);
  return (narrowed ? "Unknown command, but maybe one of the following ones is a better match:\n"
                   : "Unknown command. Please enter one of the following commands only:\n") +
         list;
}

}  // namespace

std::unique_ptr<Answer> execute(const Subject& subject, const Command& command, Session& session) {
  const Row* const row = find_row(command.words);
  if (row == nullptr) return answer_text(unknown(command.words));
  if (session.level < row->level) return answer_text("Permission denied\n");
  if (row->begin == nullptr) return answer_text(fmt::format("'{}' is not supported by hawser yet.\n", row->words));
  return row->begin(subject, command, session);
}

namespace {

class Text final : public Answer {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}
  bool append(std::string& out) override {
    out += text_;
    return true;
  }

 private:
  std::string text_;
};

}  // namespace

std::unique_ptr<Answer> answer_text(std::string text) { return std::make_unique<Text>(std::move(text)); }

}  // namespace hawser::admin
