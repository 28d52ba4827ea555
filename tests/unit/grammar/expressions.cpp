// Claims about samples, conditions and log formats.
#include <doctest/doctest.h>

#include "grammar/calls.h"
#include "grammar/log_format.h"
#include "tests/unit/grammar/helper.h"

namespace hawser::grammar {
namespace {

using test::Config;
using test::OneWord;
using test::word_of;

std::string show(const Call& call) {
  std::string out = call.name;
  if (call.has_parentheses) out += '(';
  for (std::size_t i = 0; i < call.arguments.size(); ++i) out += (i == 0 ? "" : "|") + call.arguments[i].text;
  return call.has_parentheses ? out + ')' : out;
}

std::string show(const SampleSyntax& sample) {
  std::string out = show(sample.fetch);
  for (const Call& call : sample.converters) out += " > " + show(call);
  return out;
}

// The calls, or the message.
std::string sample(std::string_view text) {
  Config config("");
  const auto read = parse_sample(word_of(text), config.diagnostics);
  return read ? show(*read) : config.messages();
}

TEST_CASE("the expression grammars have no loop without progress") {
  CHECK(analyze_sample() == 0);
  CHECK(analyze_log_format() == 0);
}

TEST_CASE("a sample is a fetch and converters, with arguments parted by commas") {
  CHECK(sample("src") == "src");
  CHECK(sample("base32+src") == "base32+src");
  CHECK(sample("hdr(host,-1),lower,field(1,:)") == "hdr(host|-1) > lower > field(1|:)");
  CHECK(sample("method()") == "method()");
  CHECK(sample("field(1,)") == "field(1|)");
  CHECK(sample("str( a )") == "str( a )");
  CHECK(sample("hdr(a),,lower,") == "hdr(a) > lower");
}

TEST_CASE("arguments have quotes and escapes of their own") {
  CHECK(sample(R"~(str("a,b)",'c)\t',d\,e\))~") == R"~(str(a,b)|c)\t|d\|e\))~");
  CHECK(sample(R"~(str("a")x)~") == "missing comma after fetch keyword 'str'.\n");
  CHECK(sample(R"~(str(\t\ \"\\\x41"\n\$"))~") == "str(\t \"\\\\x41\n\\$)");
}

TEST_CASE("mistakes in samples have haproxy's words") {
  CHECK(sample("") == "missing fetch method.\n");
  CHECK(sample(",lower") == "missing fetch method.\n");
  CHECK(sample("(x)") == "missing fetch method.\n");
  CHECK(sample("hdr(") == "fetch method 'hdr' : expected ')'.\n");
  CHECK(sample("hdr(\"a)") == "fetch method 'hdr' : expected ')'.\n");
  CHECK(sample("hdr(a),lower(") == "invalid arg 1 in converter 'lower' : expected ')'.\n");
  CHECK(sample("hdr(a)x") == "missing comma after fetch keyword 'hdr'.\n");
  CHECK(sample("hdr(a),upper)") == "missing comma after converter 'upper'.\n");
  CHECK(sample("hdr(a),(x)") == "unknown converter ''.\n");
}

TEST_CASE("the parts of a sample know their place in the source") {
  OneWord one("'hdr(a b)',lower");
  const auto read = parse_sample(one.word, one.diagnostics);
  REQUIRE(read);
  CHECK(read->span == Span{one.file, 1, 1, 15});
  CHECK(read->fetch.arguments[0].span == Span{one.file, 1, 5, 3});
  CHECK(read->converters[0].name_span == Span{one.file, 1, 11, 5});
}

std::string condition(std::string_view text) {
  Config config(std::string(text) + "\n");
  const auto read = parse_condition(config.words(), 0, config.diagnostics);
  if (!read) return config.messages();
  std::string out = read->unless ? "unless" : "if";
  for (std::size_t i = 0; i < read->any_of.size(); ++i) {
    if (i > 0) out += " or";
    for (const TermSyntax& term : read->any_of[i]) {
      out += term.negated ? " !" : " ";
      if (!term.anonymous) out += term.name;
      if (term.anonymous) out += '{';
      for (const Word& word : term.words) out += word.text + ";";
      if (term.anonymous) out += '}';
    }
  }
  return out;
}

TEST_CASE("conditions are a disjunction of conjunctions of terms") {
  CHECK(condition("if a b or !c || { path /x } d") == "if a b or !c or {path;/x;} d");
  CHECK(condition("unless ! { src 10.0.0.0/8 }") == "unless !{src;10.0.0.0/8;}");
  CHECK(condition("if !!a ! !!b OR !{ x }") == "if a !b or !{x;}");
}

TEST_CASE("conditions are read as leniently as haproxy 2.6 reads them") {
  CHECK(condition("if") == "if");
  CHECK(condition("if or a or or b or") == "if a or b");
  CHECK(condition("if ! or a") == "if a");
  CHECK(condition("if a !") == "if a");
  CHECK(condition("if {path /} a||b && {") == "missing closing '}' in condition.\n");
  CHECK(condition("if {path /} a||b &&") == "if {path /} a||b &&");
  CHECK(condition("if { path { }") == "if {path;{;}");
}

TEST_CASE("a condition begins with if or unless") {
  CHECK(condition("IF a") == "expects either 'if' or 'unless' followed by a condition but found 'IF'.\n");
}

TEST_CASE("a term's place covers its negation and its braces") {
  Config config("if a ! { b }\n");
  const auto read = parse_condition(config.words(), 0, config.diagnostics);
  REQUIRE(read);
  CHECK(read->any_of[0][1].span == Span{config.file, 1, 5, 7});
}

// Items parted by '|': text as it is, %alias, %[sample], flags behind; '_' is a separator.
std::string format(std::string_view text, bool collapse = false) {
  Config config("");
  const auto read = parse_log_format(word_of(text), collapse, config.diagnostics);
  if (!read) return config.messages();
  std::string out;
  for (const FormatItem& item : *read) {
    if (!out.empty()) out += '|';
    if (!item.field_name.empty()) out += "(" + item.field_name + ":" + item.field_type + ")";
    switch (item.kind) {
      case FormatItem::Kind::text: out += item.text; break;
      case FormatItem::Kind::alias: out += "%" + item.text; break;
      case FormatItem::Kind::sample: out += "%[" + show(*item.sample) + "]"; break;
      case FormatItem::Kind::separator: out += "_"; break;
    }
    if (item.quote) out += "+Q";
    if (item.hex) out += "+X";
    if (item.escape) out += "+E";
    if (item.mandatory) out += "+M";
  }
  return out;
}

TEST_CASE("formats are text, aliases and samples") {
  CHECK(format("a%%b %ci:%cp") == "a%b |%ci|:|%cp");
  CHECK(format("%ci.x%ci_y%[src]]") == "%ci|.x|%ci|_y|%[src]|]");
  CHECK(format("%%%ci%%ci") == "%|%ci|%ci");
  CHECK(format("") == "");
}

TEST_CASE("brackets inside arguments do not end a sample") {
  CHECK(format("%[str(])]%[str('a)]'),field(1,\"]\")]") == "%[str(])]|%[str(a)]) > field(1|])]");
}

TEST_CASE("blanks collapse where log-format collapses them") {
  CHECK(format("a  b %ci   ", true) == "a|_|b|_|%ci|_");
  CHECK(format("a  b", false) == "a  b");
}

TEST_CASE("flags hold for one item, those of %o from there on") {
  CHECK(format("%{+Q}ci%ci") == "%ci+Q|%ci");
  CHECK(format("%{+Q,+X}o%ci%{-Q}ci%[src]") == "%ci+Q+X|%ci+X|%[src]+Q+X");
  CHECK(format("%{+Q}o%{-Q}o%ci") == "%ci");
  CHECK(format("%{+Q +M, +E}ci") == "%ci+Q+E+M");
  CHECK(format("%{+QX}ci%{Q}ci%{+q}ci%{foo}ci%{}ci") == "%ci|%ci|%ci|%ci|%ci");
}

TEST_CASE("a percent before what is no item is dropped, as in haproxy 2.6") {
  CHECK(format("%-ci%]%$x") == "-ci]$x");
  CHECK(format("%(x") == "(x");
  CHECK(format("%(x)") == "(x)");
  CHECK(format("%(a b)ci") == "(a b)ci");
}

TEST_CASE("an item may have a name and a type") {
  CHECK(format("%(n)ci%(m:str){+Q}[src]") == "(n:)%ci|(m:str)%[src]+Q");
}

TEST_CASE("mistakes in formats have haproxy's words") {
  CHECK(format("a%") == "truncated line after '%'.\n");
  CHECK(format("%{+Q") == "truncated line after '+Q'.\n");
  CHECK(format("%{+Q}") == "parse argument modifier without variable name near '%{+Q}'.\n");
  CHECK(format("%{+Q}%ci") == "parse argument modifier without variable name near '%{+Q}'.\n");
  CHECK(format("% ci") ==
        "unexpected variable name near ' ' at position 1 line : '% ci'. Maybe you want to write a "
        "single '%', use the syntax '%%'.\n");
  CHECK(format("%[src") == "missing ']' after 'src'.\n");
  CHECK(format("%[hdr(a)x]") == "expected ']' after 'hdr(a)', but found 'x'.\n");
  CHECK(format("%[]") == "failed to parse sample expression <]> : missing fetch method.\n");
  CHECK(format("%[src,]") == "failed to parse sample expression <src,]> : unknown converter ''.\n");
  CHECK(format("%[hdr(a]") == "failed to parse sample expression <hdr(a]> : fetch method 'hdr' : expected ')'.\n");
}

TEST_CASE("an item's place covers its percent, braces and brackets") {
  OneWord one("x%{+Q}[src]");
  const auto read = parse_log_format(one.word, false, one.diagnostics);
  REQUIRE(read);
  CHECK((*read)[1].span == Span{one.file, 1, 1, 10});
  CHECK((*read)[1].sample->span == Span{one.file, 1, 7, 3});
}

}  // namespace
}  // namespace hawser::grammar
