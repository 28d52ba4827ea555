// Claims about expansion, conditional blocks and messages.
#include <doctest/doctest.h>

#include "tests/unit/grammar/helper.h"

namespace hawser::grammar {
namespace {

using test::Config;
using Lines = std::vector<std::string>;

Lines with(std::string_view value, std::string_view text) {
  Config config(text);
  config.environment.set("A", std::string(value));
  return config.lines();
}

TEST_CASE("variables are expanded inside double quotes alone") {
  CHECK(with("v", "\"$A\" \"${A}x\" $A '$A' \"$AB\" z\n") == Lines{"v|vx|$A|$A"});
}

TEST_CASE("a default stands for a variable that is not set, and runs to the first brace") {
  CHECK(with("", "x\"${A-d}\" \"${B-p q}\" \"y${C-\"}\"\n") == Lines{"x|p q|y\""});
}

TEST_CASE("with [*] every run of blanks in the value parts words, also at its ends") {
  CHECK(with("p \t q", "\"${A[*]}\"\n") == Lines{"p|q"});
  CHECK(with(" p ", "\"x${A[*]}y\" z\n") == Lines{"x|p|y|z"});
  CHECK(with("p", "\"${A[*]}\"\"${A[*]}\"\n") == Lines{"pp"});
  CHECK(with("", "\"${B[*]-a b}\"\n") == Lines{"a|b"});
}

TEST_CASE("an empty word ends the line as in haproxy 2.6") {
  CHECK(with("", "a \"\" b\n\"\" c\nd \"${A[*]}\" e\nf\\x00g h\n") == Lines{"a", "d", "f|h"});
}

TEST_CASE("pseudo variables tell file, line and section") {
  Config config("\n\"${.FILE}\" \"$.LINE\" \"[${.SECTION}]\"\n");
  CHECK(config.lines() == Lines{"t.cfg|2|[]"});
  Reader reader(config.tree, config.sources, config.environment, config.diagnostics);
  reader.set_section("web");
  CHECK(reader.next()->words[2].text == "[web]");
}

TEST_CASE("a change of the environment holds from the next line on") {
  Config config("\"$A\"\n\"$A\"\n");
  config.environment.set("A", "1");
  Reader reader(config.tree, config.sources, config.environment, config.diagnostics);
  CHECK(reader.next()->words[0].text == "1");
  config.environment.set("A", "2");
  CHECK(reader.next()->words[0].text == "2");
}

TEST_CASE("a byte of a word leads back to the source that made it") {
  Config config("x a\\tb\"$A\"c\n");
  config.environment.set("A", "12");
  const Word word = config.words().at(1);
  REQUIRE(word.text == "a\tb12c");
  CHECK(word.part(0, 1) == Span{config.file, 1, 2, 1});
  CHECK(word.part(1, 1) == Span{config.file, 1, 3, 2});
  CHECK(word.part(3, 1) == Span{config.file, 1, 7, 2});
  CHECK(word.part(3, 3) == Span{config.file, 1, 7, 4});
  CHECK(word.part(6, 1) == Span{config.file, 1, 11, 0});
}

TEST_CASE("a line has at most 64 words") {
  std::string text = " description";
  for (int i = 1; i < 64; ++i) text += " " + std::to_string(i);
  CHECK(Config(text + "\n").lines().size() == 1);
  Config config(text + " 64\n");
  CHECK(config.lines().empty());
  CHECK(config.messages() == "too many words, truncating after word 64, position 190: <63>.\n");
}

TEST_CASE("scopes are skipped, and must be well formed") {
  Config config("[a-b_c.d:e] # x\n[a b\n[]\n[a]b\n[a/b]\n[a\nx\n");
  CHECK(config.lines() == Lines{"x"});
  CHECK(config.messages() ==
        "character ' ' is not permitted in a scope name.\nempty scope name is forbidden.\n"
        "character 'b' is not permitted after scope declaration.\ncharacter '/' is not permitted in a scope name.\n"
        "empty scope name is forbidden.\n");
}

TEST_CASE("the first branch that holds is taken, and none after it") {
  CHECK(Config(".if 0\na\n.elif 1\nb\n.elif 1\nc\n.else\nd\n.endif\ne\n").lines() == Lines{"b", "e"});
  CHECK(Config(".if\na\n.else\nb\n.endif\n").lines() == Lines{"b"});
  CHECK(Config(".if 0\n.if 1\na\n.else\nb\n.endif\n.else\nc\n.endif\n").lines() == Lines{"c"});
}

TEST_CASE("what is skipped is not carried out, nor are its conditions read") {
  Config config(".if 0\n.foo\n.alert x\n.if foo(\n.endif\n.elif 1\na\n.elif foo(\n.endif\n");
  CHECK(config.lines() == Lines{"a"});
  CHECK(config.messages().empty());
}

TEST_CASE("blocks must be well formed") {
  const auto message = [](std::string_view text) {
    Config config(text);
    config.lines();
    return config.messages();
  };
  CHECK(message(".endif\n") == "lone '.endif' with no matching '.if'.\n");
  CHECK(message(".else\n") == "lone '.else' with no matching '.if'.\n");
  CHECK(message(".elif 1\n") == "lone '.elif' with no matching '.if'.\n");
  CHECK(message(".if 1\n") == "non-terminated '.if' block.\n");
  CHECK(message(".if 0\n.else\n.else\n.endif\n") == "'.else' after '.else' is not permitted.\n");
  CHECK(message(".if 0\n.else\n.elif 1\n.endif\n") == "'.elif' after '.else' is not permitted.\n");
  CHECK(message(".if 1\n.endif x\n") == "Unexpected argument 'x' for '.endif'.\n");
  CHECK(message(".foo\n") == "unknown directive '.foo'.\n");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += ".if 1\n";
  CHECK(message(deep) == "too many nested '.if', max is 100.\n");
}

TEST_CASE("messages take one word; an alert ends the reading") {
  Config config(".notice \"a b\"\n.warning c\n.notice \"\" b\n.notice\nx\n.alert d\ny\n");
  CHECK(config.lines() == Lines{"x"});
  CHECK(config.messages() ==
        "'a b'.\n'c'.\nUnexpected argument 'b' for '.notice'. Use quotes if the message should contain spaces.\n"
        "''.\n'd'.\n");
  CHECK(config.diagnostics.fatal_count() == 2);
}

TEST_CASE("a condition's mistake is shown where it stands") {
  Config config(".if 1 \"2\"\na\n.else\nb\n.endif\n");
  CHECK(config.lines().empty());
  CHECK(config.messages() ==
        "unexpected character '2' at the end of conditional expression '1 2' in '.if' at position 3:\n");
  CHECK(config.diagnostics.all()[0].span == Span{config.file, 1, 7, 1});
}

TEST_CASE("addresses have an expansion of their own") {
  Environment environment;
  environment.set("PORT", "80");
  const auto expanded = [&](std::string_view text) { return expand_address(text, environment); };
  CHECK(expanded("*:${PORT}") == "*:80");
  CHECK(expanded(":$PORT$") == ":80");
  CHECK(expanded("a${PORT:1") == "a80:1");
  CHECK(expanded("${NO-x}") == "-x}");
  const Word word = expand_address(test::word_of("a$PORT:"), environment);
  CHECK(word.text == "a80:");
  CHECK(word.part(1, 2) == Span{FileId(0), 1, 1, 5});
  CHECK(word.part(3, 1) == Span{FileId(0), 1, 6, 1});
}

}  // namespace
}  // namespace hawser::grammar
