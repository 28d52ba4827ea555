// How the bytes of a client become commands, as measured with haproxy 2.6.12.
#include <doctest/doctest.h>

#include "runtime/admin/line.h"

using namespace hawser::admin;
using Words = std::vector<std::string>;

namespace {

// All commands that `bytes` hold, pushed byte by byte.
std::vector<Command> read_slowly(std::string_view bytes) {
  LineReader reader;
  std::vector<Command> commands;
  for (const char byte : bytes) {
    reader.push({&byte, 1});
    Command command;
    bool ends_line = false;
    while (reader.next(command, ends_line) == LineReader::State::command) commands.push_back(command);
  }
  return commands;
}

Words only(std::string_view line) {
  const auto commands = read_slowly(std::string(line) + "\n");
  REQUIRE(commands.size() == 1);
  return commands[0].words;
}

}  // namespace

TEST_CASE("blanks separate words, and a carriage return is one") {
  CHECK(only("  show   info  \r") == Words{"show", "info"});
  CHECK(only("") == Words{});
}

TEST_CASE("a semicolon separates commands, an escaped one does not") {
  const auto commands = read_slowly("show info;show\\;stat\n");
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].words == Words{"show", "info"});
  CHECK(commands[1].words == Words{"show;stat"});
}

TEST_CASE("a backslash takes the next byte as it is, and there are no quotes") {
  CHECK(only("a\\ b \\\\ \"c d\"") == Words{"a b", "\\", "\"c", "d\""});
}

TEST_CASE("a line that is not complete is no command") {
  LineReader reader;
  reader.push("show info");
  Command command;
  bool ends_line = false;
  CHECK(reader.next(command, ends_line) == LineReader::State::waiting);
}

TEST_CASE("a payload goes up to an empty line") {
  const auto commands = read_slowly("show version;set map m <<\na 1\nb 2\n\nshow info\n");
  REQUIRE(commands.size() == 3);
  CHECK_FALSE(commands[0].has_payload);
  CHECK(commands[1].words == Words{"set", "map", "m"});
  CHECK(commands[1].payload == "a 1\nb 2\n");
  CHECK(commands[2].words == Words{"show", "info"});
}

TEST_CASE("a tagged payload goes up to its tag") {
  const auto commands = read_slowly("set map m <<END\na\n\nb\nEND\n");
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].payload == "a\n\nb\n");
}

TEST_CASE("only the last word of a line announces a payload, and not an escaped one") {
  CHECK(only("show << info") == Words{"show", "info"});
  CHECK(only("show \\<<") == Words{"show", "<<"});
}

TEST_CASE("lines and payloads are bounded") {
  LineReader reader;
  Command command;
  bool ends_line = false;
  reader.push(std::string(kLineBytesMax, 'x'));
  CHECK(reader.next(command, ends_line) == LineReader::State::too_long);
  LineReader second;
  second.push("set map m <<\n");
  CHECK(second.next(command, ends_line) == LineReader::State::waiting);
  second.push(std::string(kPayloadBytesMax + 1, 'x'));
  CHECK(second.next(command, ends_line) == LineReader::State::too_long);
}
