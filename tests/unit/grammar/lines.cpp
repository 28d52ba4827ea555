// Claims about lines and words: the tree loses nothing, and its mistakes have haproxy 2.6's words.
#include <doctest/doctest.h>

#include "grammar/lines_builder.h"
#include "tests/unit/grammar/helper.h"

namespace hawser::grammar {
namespace {

using namespace std::string_literals;
using test::Config;

std::string printed(std::string_view text) { return ast::print(Config(text).tree); }

TEST_CASE("printing a tree gives the text back, whatever it is") {
  for (const std::string& text : {""s, "\n"s, "a"s, "  global # x\r\n\tmaxconn 10\r\n"s, "a\rb\nc"s, "a\0b\n\0"s,
                                  "\"a\\\"$X${Y-\" z}\"\n"s, "'a\n\"b\n\"${\n\"${A[\n\"${A-\n\\x4\n\\\n"s,
                                  "[scope] # x\n  [a\"b\n"s, "\xef\xbb\xbfglobal\n"s, "\\\r\n\r\r\n"s}) {
    CAPTURE(text);
    CHECK(printed(text) == text);
  }
}

TEST_CASE("the grammar of lines has no loop without progress") { CHECK(ast::analyze_lines() == 0); }

TEST_CASE("every byte of a word is in one segment of its kind") {
  Config config("  a'b c'\\ \"$X\\$\"#d\n");
  CHECK(ast::dump(config.tree) ==
        "1:2 plain 'a' single ''' quoted 'b c' single ''' escape '\\ ' double '\"' variable '$X' escape '\\$' double "
        "'\"'\n"
        "1:16 comment '#d'\n");
}

TEST_CASE("a line has one gap more than words") {
  for (const auto* text : {"a b\n", " a  b \n", "[x] y\n", "#\n", "\n", "a"}) {
    Config config(text);
    CHECK(config.tree.lines.at(0).gaps.size() == config.tree.lines.at(0).words.size() + 1);
  }
}

TEST_CASE("quotes join what they stand beside, and hide blanks and comments") {
  CHECK(Config("a\"b #c\"'d \\e'f#g\n").lines() == std::vector<std::string>{"ab #cd \\ef"});
}

TEST_CASE("an unknown escape keeps its backslash, and ends nothing") {
  CHECK(Config("a\\1 b\\\tc \"\\z\" \\\n").lines() == std::vector<std::string>{"a\\1|b\\|c|\\z|\\"});
}

TEST_CASE("known escapes stand for one byte, the dollar's inside quotes alone") {
  CHECK(Config("a\\tb\\n\\r\\\\\\#\\'\\\"\\ \\x41 \\$X \"\\$X\"\n").lines() ==
        std::vector<std::string>{"a\tb\n\r\\#'\" A|\\$X|$X"});
}

TEST_CASE("a carriage return is a blank among blanks, and ends the content behind a word") {
  CHECK(Config("\ra \r b\rc\n").lines() == std::vector<std::string>{"a|b"});
  CHECK(Config("global\r\n maxconn 10\rfoo\n").lines() == std::vector<std::string>{"global", "maxconn|10"});
  CHECK(Config("x \"a\rb\"\n").messages() == "unmatched quote at position 3:\n");
}

TEST_CASE("mistakes in lines have haproxy's words and place") {
  const auto message = [](std::string_view text) { return Config(text).messages(); };
  CHECK(message(" maxconn \"10\n") == "unmatched quote at position 10:\n");
  CHECK(message(" maxconn '10\n") == "unmatched quote at position 10:\n");
  CHECK(message(" maxconn \\x4g\n") == "truncated or invalid hexadecimal sequence at position 10:\n");
  CHECK(message(" maxconn \"${\"\n") == "forbidden first char in environment variable name at position 13:\n");
  CHECK(message(" maxconn \"$1A\"\n") == "forbidden first char in environment variable name at position 12:\n");
  CHECK(message(" maxconn \"${A b}\"\n") == "unmatched brace in environment variable name at position 12:\n");
  CHECK(message(" maxconn \"${A[x]}\"\n") == "truncated or invalid word expansion sequence at position 14:\n");
  CHECK(message(" maxconn \"${.FOO}\"\n") == "forbidden first char in environment variable name at position 13:\n");
  CHECK(message(" maxconn 10") == "Missing LF on last line, file might have been truncated at position 12.\n");
  CHECK(message("a\n\0\n"s) == "Stray NUL character at position 1.\n");
}

TEST_CASE("of several mistakes in a line the first is reported, and the line is not read") {
  Config config("a \"\\x4\" \\x\"\nb\n");
  CHECK(config.messages() == "truncated or invalid hexadecimal sequence at position 4:\n");
  CHECK(config.lines() == std::vector<std::string>{"b"});
}

TEST_CASE("a byte order mark is part of the first word") {
  CHECK(Config("\xef\xbb\xbfglobal\n").lines() == std::vector<std::string>{"\xef\xbb\xbfglobal"});
}

}  // namespace
}  // namespace hawser::grammar
