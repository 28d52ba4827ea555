// From the words of a command to its answer.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "runtime/admin/answer.h"

namespace hawser::admin {
namespace {

constexpr bool now = true;
constexpr bool later = false;

struct Row {
  std::string_view words;
  std::string_view arguments;
  abi::AccessLevel level;
  bool supported;
  std::string_view summary;
};

constexpr Row kRows[] = {
#define COMMAND(id, words, arguments, level, state, summary) {words, arguments, abi::AccessLevel::level, state, summary},
#include "runtime/abi/commands.def"
#undef COMMAND
};

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
    if (!row.supported) continue;
    const std::string line =
        fmt::format("  {:<39} : {}\n",
                    row.arguments.empty() ? std::string(row.words) : fmt::format("{} {}", row.words, row.arguments),
                    row.summary);
    const bool always = row.words == "help" || row.words == "prompt" || row.words == "quit";
    if (!command.empty() && !always && resembles(row, command)) matching += line;
    all += line;
  }
  narrowed = !matching.empty();
  return narrowed ? matching : all;
}

std::string help(std::vector<std::string> about) {
  bool narrowed = false;
  const std::string list = list_commands(about, narrowed);
  return "The following commands are valid at this level:\n" + list;
}

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
  if (!row->supported) return answer_text(fmt::format("'{}' is not supported by hawser yet.\n", row->words));
  if (row->words == "help") return answer_text(help({command.words.begin() + 1, command.words.end()}));
  if (row->words == "show info") return answer_info(subject, command);
  if (row->words == "show stat") return answer_stat(subject, command);
  if (row->words == "show version") return answer_text(subject.facts.version + "\n");
  if (row->words == "prompt") session.prompt = !session.prompt;
  if (row->words == "quit") session.quit = true;
  return answer_text("");
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
