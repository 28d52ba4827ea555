// Claims about every row of every table, and about what the machinery makes of them.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/keywords/keyword.h"
#include "compiler/keywords/vocabulary.h"

namespace hawser::compiler {
namespace {

struct Reading {
  grammar::Sources sources;
  grammar::Diagnostics diagnostics{sources};
  model::Config config;

  explicit Reading(std::string text) {
    const grammar::FileId file = sources.add("test.cfg", std::move(text));
    grammar::Environment environment;
    config = read_and_check({file}, sources, environment, {}, diagnostics);
  }
  bool says(std::string_view part) const {
    for (const grammar::Diagnostic& one : diagnostics.all()) {
      if (one.text.find(part) != std::string::npos) return true;
    }
    return false;
  }
};

// A section in which the keyword may stand.
std::string section_line(const Keyword& row) {
  if (contains(row.sections, Section::frontend)) return "frontend web\n";
  if (contains(row.sections, Section::listen)) return "listen web\n";
  if (contains(row.sections, Section::backend)) return "backend web\n";
  return contains(row.sections, Section::global) ? "global\n" : "defaults named\n";
}

std::size_t needed(std::span<const Param> params) {
  std::size_t count = 0;
  while (count < params.size() && !params[count].optional) ++count;
  return count;
}

TEST_CASE("every supported row says what it does in a sentence, and carries it out") {
  for (const auto table : keyword_tables()) {
    CHECK(!table.empty());
    for (const Keyword& row : table) {
      CAPTURE(row.name);
      CHECK(row.summary.size() > 10);
      CHECK(row.summary.back() == '.');
      CHECK((row.lower != nullptr));
      CHECK(row.sections != Section::none);
    }
  }
}

TEST_CASE("no word has two meanings in a section") {
  std::set<std::string_view> global;
  std::set<std::string_view> proxies;
  for (const auto table : keyword_tables()) {
    for (const Keyword& row : table) {
      CAPTURE(row.name);
      if (contains(row.sections, Section::global)) CHECK(global.insert(row.name).second);
      if (row.sections != Section::global) CHECK(proxies.insert(row.name).second);
    }
  }
  for (const LaterWord& word : later_words(WordKind::global)) CHECK_MESSAGE(global.insert(word.name).second, word.name);
  for (const LaterWord& word : later_words(WordKind::proxy)) {
    CHECK_MESSAGE(proxies.insert(word.name).second, word.name);
    CHECK_MESSAGE(word.sections != Section::none, word.name);
  }
  for (const RemovedWord& word : removed_words()) {
    CHECK_MESSAGE((word.kind == WordKind::global ? global : proxies).insert(word.name).second, word.name);
  }
}

TEST_CASE("optional params come last, and bounds are in order") {
  const auto check = [](std::string_view name, std::span<const Param> params) {
    CAPTURE(name);
    bool optional = false;
    for (const Param& param : params) {
      CHECK(!param.name.empty());
      CHECK(param.min <= param.max);
      CHECK((param.take == Take::choice) == !param.choices.empty());
      CHECK((!optional || param.optional));
      optional = param.optional;
    }
  };
  for (const auto table : keyword_tables()) {
    for (const Keyword& row : table) check(row.name, row.params);
  }
  for (const BindOption& row : command_socket_options()) check(row.name, row.params);
  for (const ServerOption& row : server_options()) check(row.name, row.params);
}

TEST_CASE("a keyword without the arguments that it needs is an error at its line") {
  for (const auto table : keyword_tables()) {
    for (const Keyword& row : table) {
      const std::size_t count = needed(row.params);
      for (std::size_t given = 0; given < count; ++given) {
        std::string text = section_line(row) + std::string(row.name);
        for (std::size_t at = 0; at < given; ++at) text += " 200";
        CAPTURE(text);
        const Reading reading(text + "\n");
        REQUIRE(reading.diagnostics.has_fatal());
        CHECK(reading.diagnostics.all().front().span.line == 2);
      }
    }
  }
}

TEST_CASE("a word too many is an error, unless haproxy does not look at it") {
  for (const auto table : keyword_tables()) {
    for (const Keyword& row : table) {
      const bool open = !row.params.empty() && row.params.back().take == Take::rest;
      std::string text = section_line(row) + std::string(row.name);
      for (std::size_t at = 0; at < row.params.size(); ++at) {
        const Param& param = row.params[at];
        text += param.take == Take::choice ? fmt::format(" {}", param.choices[0])
                                           : fmt::format(" {}", param.min > 0 ? param.min : 1);
      }
      text += " surplus\n";
      CAPTURE(text);
      const Reading reading(text);  // no crash, whatever it says
      if (!open && !row.extra.refusal.empty()) CHECK(reading.diagnostics.has_fatal());
    }
  }
}

TEST_CASE("a bind or server option without its value is an error") {
  for (const BindOption& row : bind_options()) {
    CAPTURE(row.name);
    CHECK(Reading(fmt::format("frontend web\nbind :8001 {}\n", row.name)).diagnostics.has_fatal() ==
          (needed(row.params) > 0));
  }
  for (const ServerOption& row : server_options()) {
    CAPTURE(row.name);
    CHECK(Reading(fmt::format("backend app\nserver one 192.0.2.1:80 {}\n", row.name)).diagnostics.has_fatal() ==
          (needed(row.params) > 0));
  }
}

TEST_CASE("every word that is refused is refused by name, at its line") {
  const auto refused = [](std::string text, std::string_view name) {
    CAPTURE(text);
    const Reading reading(std::move(text));
    REQUIRE(!reading.diagnostics.all().empty());
    const grammar::Diagnostic& first = reading.diagnostics.all().front();
    CHECK(first.unsupported);
    CHECK(first.fatal);
    CHECK(first.text.find(fmt::format("'{}' is not supported by hawser yet", name)) != std::string::npos);
  };
  for (const LaterWord& word : later_words(WordKind::section)) refused(fmt::format("{} x\n", word.name), word.name);
  for (const LaterWord& word : later_words(WordKind::global)) {
    refused(fmt::format("global\n{} x\n", word.name), word.name);
  }
  for (const LaterWord& word : later_words(WordKind::proxy)) {
    refused(fmt::format("listen web\n{} x\n", word.name), word.name);
  }
  for (const LaterWord& word : later_words(WordKind::bind)) {
    refused(fmt::format("listen web\nbind :8001 {} x\n", word.name), word.name);
  }
  for (const LaterWord& word : later_words(WordKind::server)) {
    refused(fmt::format("listen web\nserver one 192.0.2.1:80 {} x\n", word.name), word.name);
  }
}

TEST_CASE("a removed word brings haproxy's own reason") {
  for (const RemovedWord& word : removed_words()) {
    const Reading reading(
        fmt::format("{}\n{} x\n", word.kind == WordKind::global ? "global" : "listen web", word.name));
    CHECK_MESSAGE(reading.says(word.text), word.name);
  }
}

TEST_CASE("what `defaults` sets is inherited, and the proxy's own setting wins") {
  const Reading reading(
      "defaults\nmode http\ntimeout client 1s\nretries 7\noption httpclose\nlog 127.0.0.1 local0\n"
      "frontend web\nbind :8001\ntimeout client 2s\noption http-keep-alive\nno log\n");
  CHECK(!reading.diagnostics.has_fatal());
  REQUIRE(reading.config.proxies.size() == 2);
  const model::Proxy& web = reading.config.proxies[model::ProxyId(1)];
  CHECK(*web.mode == abi::Mode::http);
  CHECK(*web.timeouts.at("client") == 2000);
  CHECK(*web.retries == 7);
  CHECK(*web.http_keep_alive);
  CHECK(!*web.http_close);
  CHECK(web.logs.empty());
}

TEST_CASE("`default option` takes back what was inherited, and `no option` says no") {
  const Reading reading(
      "defaults\ntimeout client 1s\noption dontlognull\noption redispatch\nlisten a\nbind :8001\n"
      "default option dontlognull\nno option redispatch\n");
  const model::Proxy& proxy = reading.config.proxies[model::ProxyId(1)];
  CHECK(!proxy.dontlognull.is_set());
  CHECK(proxy.redispatch.is_set());
  CHECK(!*proxy.redispatch);
}

TEST_CASE("a server begins as a copy of what default-server gave before it") {
  const Reading reading(
      "backend app\ntimeout connect 1s\ntimeout server 1s\nserver early 192.0.2.1:80\ndefault-server weight 5 "
      "disabled\n"
      "server late 192.0.2.2:80\nserver own 192.0.2.3:80 weight 9 enabled\n");
  const auto& servers = reading.config.proxies[model::ProxyId(0)].servers;
  REQUIRE(servers.size() == 3);
  CHECK(servers[0].weight == 1);
  CHECK(servers[1].weight == 5);
  CHECK(servers[1].disabled);
  CHECK(servers[2].weight == 9);
  CHECK(!servers[2].disabled);
}

TEST_CASE("setenv is seen by the lines that follow it, in addresses also without quotes") {
  const Reading reading("global\nsetenv PORT 8077\nfrontend web\ntimeout client 1s\nbind 127.0.0.1:${PORT}\n");
  CHECK(!reading.diagnostics.has_fatal());
  CHECK(reading.config.proxies[model::ProxyId(0)].binds.at(0).addresses.at(0).port == 8077);
}

TEST_CASE("a port range is one listener a port") {
  const Reading reading("frontend web\ntimeout client 1s\nbind 127.0.0.1:8001-8004,[::1]:9000\n");
  const auto& addresses = reading.config.proxies[model::ProxyId(0)].binds.at(0).addresses;
  REQUIRE(addresses.size() == 5);
  CHECK(addresses[3].port == 8004);
  CHECK(addresses[4].family == abi::Address::Family::v6);
}

TEST_CASE("the longest name wins, and parentheses are no part of it") {
  grammar::Line line;
  for (const char* word : {"http-check", "set-var(txn.x)", "int(1)"}) line.words.emplace_back().text = word;
  const Meaning meaning = find_keyword(Section::backend, line, 0);
  REQUIRE(meaning.later != nullptr);
  CHECK(meaning.later->name == "http-check set-var");
  CHECK(meaning.words == 2);
}

TEST_CASE("numbers are read as atol reads them, and tell whether that is all") {
  CHECK(read_loose_integer("12").value == 12);
  CHECK(read_loose_integer("12").whole);
  CHECK(read_loose_integer("-3").value == -3);
  CHECK(read_loose_integer("+3").whole);
  CHECK(read_loose_integer("1k").value == 1);
  CHECK(!read_loose_integer("1k").whole);
  CHECK(read_loose_integer("abc").value == 0);
  CHECK(!read_loose_integer("").whole);
  CHECK(read_loose_integer("99999999999999999999").value == INT64_MAX);
}

TEST_CASE("conditions may ask for the language's version and for features that we have") {
  const auto predicate = predicates();
  CHECK(*predicate("version_atleast", {"2.6"}));
  CHECK(*predicate("version_atleast", {"3.4-dev1"}));
  CHECK(!*predicate("version_atleast", {"3.5"}));
  CHECK(*predicate("version_before", {"3.4.1"}));
  CHECK(*predicate("feature", {"THREAD"}));
  CHECK(!*predicate("feature", {"OPENSSL"}));
  CHECK(!predicate("no_such_predicate", {}).has_value());
}

}  // namespace
}  // namespace hawser::compiler
