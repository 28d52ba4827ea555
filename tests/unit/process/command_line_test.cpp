// The command line, option by option, as haproxy 2.6.12 reads it.
#include <doctest/doctest.h>

#include "runtime/process/command_line.h"

using namespace hawser::process;

namespace {

Parsed parse(std::vector<std::string> words) {
  words.insert(words.begin(), "hawser");
  return parse_command_line(words);
}

CommandLine accepted(std::vector<std::string> words) {
  const Parsed parsed = parse(std::move(words));
  REQUIRE_FALSE(parsed.refusal);
  return parsed.command_line;
}

std::string refusal(std::vector<std::string> words) {
  const Parsed parsed = parse(std::move(words));
  REQUIRE(parsed.refusal);
  return (parsed.refusal->usage ? "usage: " : "") + parsed.refusal->message;
}

}  // namespace

TEST_CASE("options are told apart by their first letters") {
  CHECK(accepted({"-check", "-f", "x"}).task == Task::check);
  CHECK(accepted({"-dfoo", "-f", "x"}).debug);
  CHECK_FALSE(accepted({"-db", "-f", "x"}).debug);
  CHECK(accepted({"-db", "-f", "x"}).foreground);
}

TEST_CASE("an option takes the next word, never what is glued to it") {
  CHECK(accepted({"-fx", "y"}).paths == std::vector<std::string>{"y"});
  CHECK(refusal({"-fx"}) == "'-fx' expects a value.");
  CHECK(refusal({"-c", "-n"}) == "'-n' expects a value.");
}

TEST_CASE("everything behind -- is a file") {
  CHECK(accepted({"-f", "a", "--", "b", "-c"}).paths == std::vector<std::string>{"a", "b", "-c"});
}

TEST_CASE("what is no option is named behind the usage") {
  CHECK(refusal({"web.cfg"}) == "usage: 'web.cfg' is no option: a configuration file is given with -f, or behind --.");
  CHECK(refusal({"-z"}) == "usage: '-z' is no option.");
  CHECK(refusal({"-"}) == "usage: '-' is no option.");
  CHECK(refusal({"-cc"}) == "usage: '-cc' expects a condition.");
  CHECK(refusal({"--nosuch"}) == "usage: '--nosuch' is no option.");
  CHECK(refusal({"help", "me"}) == "usage: 'help' knows --unsupported, and no 'me'.");
}

TEST_CASE("a version ends the command line") {
  CHECK(accepted({"-c", "-v", "-z"}).task == Task::version);
  CHECK(accepted({"-vv"}).task == Task::version_long);
  CHECK(accepted({"-vq"}).task == Task::version);
}

TEST_CASE("a number that is none, or negative, counts as not given") {
  CHECK(accepted({"-n", "50", "-f", "x"}).maxconn == 50);
  CHECK(accepted({"-n", "abc", "-f", "x"}).maxconn == 0);
  CHECK(accepted({"-N", "-5", "-f", "x"}).proxy_maxconn == 0);
}

TEST_CASE("debugging flags without a meaning here are accepted, and checked") {
  const CommandLine line = accepted({"-dM", "-dM0x50,no-merge", "-dI", "-dG", "-dk", "-dS", "-f", "x"});
  CHECK_FALSE(line.debug);
  CHECK(refusal({"-dMfoo"}) == "-dM: unknown pool debugging feature <foo>");
  CHECK(accepted({"-dW", "-f", "x"}).warnings_fatal);
  CHECK_FALSE(accepted({"-dR", "-f", "x"}).reuse_port);
}

TEST_CASE("what hawser does not do yet is refused by name") {
  CHECK(refusal({"-W"}) == "'-W' is not supported by hawser yet.");
  CHECK(refusal({"-Ws"}) == "'-Ws' is not supported by hawser yet.");
  CHECK(refusal({"-S", "x"}) == "'-S' is not supported by hawser yet.");
  CHECK(refusal({"-dKall"}) == "'-dKall' is not supported by hawser yet.");
}

TEST_CASE("old processes are the words up to the next option") {
  const CommandLine line = accepted({"-st", "12", "34", "-x", "/sock", "-f", "x"});
  CHECK(line.old_processes == std::vector<int>{12, 34});
  CHECK(line.end_old_now);
  CHECK(line.sockets_from == "/sock");
  CHECK(refusal({"-sf", "1x", "-f", "x"}) == "-sf option: some bytes unconsumed in PID list {x}");
}

TEST_CASE("a list of old processes may be empty") {
  CHECK(accepted({"-f", "x", "-sf"}).paths == std::vector<std::string>{"x"});
  CHECK(accepted({"-sf", "-f", "x"}).paths == std::vector<std::string>{"x"});
}

TEST_CASE("verbose and debug win over quiet") {
  CHECK(accepted({"-q", "-f", "x"}).silent());
  CHECK_FALSE(accepted({"-q", "-V", "-f", "x"}).silent());
  CHECK_FALSE(accepted({"-d", "-q", "-f", "x"}).silent());
}

TEST_CASE("long options are ours") {
  CHECK(accepted({"--help"}).task == Task::help);
  CHECK(accepted({"help", "--unsupported"}).task == Task::unsupported_words);
  CHECK(accepted({"--dump=plan", "-f", "x"}).dump == Dump::plan);
  CHECK(accepted({"--dump=ir-opt", "-f", "x"}).dump == Dump::ir_opt);
  CHECK(accepted({"--dump=llvm", "-f", "x"}).dump == Dump::llvm);
  CHECK(accepted({"--dump=asm", "-f", "x"}).dump == Dump::assembly);
  CHECK(accepted({"--passes=none", "-f", "x"}).passes == "none");
  CHECK(accepted({"-f", "x"}).passes == "all");
  CHECK(accepted({"--diagnostics=json", "-f", "x"}).json);
  CHECK(accepted({"--unsupported=warn", "-f", "x"}).warn_unsupported);
}
