// Claims about how messages look, and about guesses.
#include <doctest/doctest.h>

#include "grammar/diagnostics.h"

namespace hawser::grammar {
namespace {

struct Fixture {
  Sources sources;
  FileId file = sources.add("web.cfg",
                            "frontend web\n    http-request dney if from_office\n\tx\x01"
                            "y\n");
  Diagnostics diagnostics{sources};
};

TEST_CASE_FIXTURE(Fixture, "a message is haproxy's line, then the source line with a caret and the hint") {
  diagnostics.error({file, 2, 17, 4}, "'http-request' expects {}", "more").with_hint("did you mean 'deny'?");
  CHECK(render(diagnostics.all()[0], sources, 123) ==
        "[ALERT]    (123) : config : parsing [web.cfg:2] : 'http-request' expects more\n"
        "    2 |     http-request dney if from_office\n"
        "      |                  ^~~~ did you mean 'deny'?\n");
}

TEST_CASE_FIXTURE(Fixture, "levels are padded as haproxy pads them, and not at all without a pid") {
  const auto head = [&](Level level, int pid) {
    return render({.level = level, .origin = Origin::process, .span = {}, .text = "x"}, sources, pid);
  };
  CHECK(head(Level::alert, 1) == "[ALERT]    (1) : x\n");
  CHECK(head(Level::warning, 1) == "[WARNING]  (1) : x\n");
  CHECK(head(Level::notice, 1) == "[NOTICE]   (1) : x\n");
  CHECK(head(Level::diag, 1) == "[DIAG]     (1) : x\n");
  CHECK(head(Level::alert, 0) == "[ALERT] x\n");
}

TEST_CASE_FIXTURE(Fixture, "the origin decides the prefix") {
  const auto line = [&](Origin origin, Span span) {
    const std::string text = render({.origin = origin, .span = span, .text = "x"}, sources, 0);
    return text.substr(0, text.find('\n'));
  };
  const Span span{file, 1, 0, 1};
  CHECK(line(Origin::parsing, span) == "[ALERT] config : parsing [web.cfg:1] : x");
  CHECK(line(Origin::tokens, span) == "[ALERT] config : parsing [web.cfg:1]: x");
  CHECK(line(Origin::late, span) == "[ALERT] config : Parsing [web.cfg:1]: x");
  CHECK(line(Origin::server, span) == "[ALERT] config : [web.cfg:1] : x");
  CHECK(line(Origin::config, span) == "[ALERT] config : x");
  CHECK(line(Origin::parsing, {}) == "[ALERT] config : x");
}

TEST_CASE_FIXTURE(Fixture, "tabs stay tabs under the line, other controls are shown as question marks") {
  diagnostics.error({file, 3, 3, 1}, "x");
  CHECK(render(diagnostics.all()[0], sources, 0) ==
        "[ALERT] config : parsing [web.cfg:3] : x\n    3 | \tx?y\n      | \t  ^\n");
}

TEST_CASE_FIXTURE(Fixture, "a caret may stand behind the line") {
  diagnostics.error({file, 1, 12, 0}, "x");
  CHECK(render(diagnostics.all()[0], sources, 0).ends_with("    1 | frontend web\n      |             ^\n"));
}

TEST_CASE("of a long line some 100 bytes around the caret are shown") {
  Sources sources;
  const FileId file = sources.add("a", std::string(300, 'x') + "!" + std::string(300, 'y') + "\n");
  const std::string text = render({.span = {file, 1, 300, 400}, .text = "t"}, sources, 0);
  CHECK(text == "[ALERT] config : parsing [a:1] : t\n    1 | ..." + std::string(60, 'x') + "!" + std::string(39, 'y') +
                    "...\n      |    " + std::string(60, ' ') + "^" + std::string(39, '~') + "\n");
}

TEST_CASE_FIXTURE(Fixture, "other places follow with their words") {
  const FileId other = sources.add("b.cfg", "backend b\n");
  diagnostics.error({file, 1, 9, 3}, "x").label({file, 2, 4, 12}, "here").label({other, 1, 8, 1}, "there");
  CHECK(render(diagnostics.all()[0], sources, 0) ==
        "[ALERT] config : parsing [web.cfg:1] : x\n"
        "    1 | frontend web\n      |          ^~~\n"
        "    2 |     http-request dney if from_office\n      |     ^~~~~~~~~~~~ here\n"
        "      > b.cfg\n    1 | backend b\n      |         ^ there\n");
}

TEST_CASE_FIXTURE(Fixture, "JSON holds the same, and is JSON whatever the bytes") {
  diagnostics.warning({file, 1, 9, 3}, "a\"\\\n\xff\xc3\xa9").with_hint("h").label({file, 2, 4, 1}, "l");
  CHECK(render_json(diagnostics.all()[0], sources) ==
        R"({"level":"warning","origin":"parsing","fatal":false,"unsupported":false,"text":"a\"\\\u000a\ufffd)"
        "\xc3\xa9"
        R"(","at":{"file":"web.cfg","line":1,"column":9,"length":3},"hint":"h",)"
        R"("labels":[{"text":"l","at":{"file":"web.cfg","line":2,"column":4,"length":1}}]})"
        "\n");
}

TEST_CASE_FIXTURE(Fixture, "a caller names the place for what an expression says") {
  {
    const Within rule(diagnostics, "in rule : ");
    const Within format(diagnostics, "in format : ", Origin::late);
    diagnostics.error({}, "x");
  }
  diagnostics.error({}, "y");
  CHECK(diagnostics.all()[0].text == "in rule : in format : x");
  CHECK(diagnostics.all()[0].origin == Origin::late);
  CHECK(diagnostics.all()[1].text == "y");
  CHECK(diagnostics.all()[1].origin == Origin::parsing);
}

TEST_CASE("the closest known word is meant, the first of equals, and no far one") {
  CHECK(did_you_mean("dney", {"allow", "deny", "tarpit"}) == "deny");
  CHECK(did_you_mean("http-requets", {"http-response", "http-request"}) == "http-request");
  CHECK(did_you_mean("ab", {"ac", "ad"}) == "ac");
  CHECK(did_you_mean("foo", {"deny", "bar"}).empty());
  CHECK(did_you_mean("a", {"b"}).empty());
  CHECK(did_you_mean("", {"b"}).empty());
  CHECK(did_you_mean(std::string(100'000, 'a'), {"b"}).empty());
}

TEST_CASE_FIXTURE(Fixture, "an alert that is made milder is no fatal one, and the others stay") {
  diagnostics.error({}, "first");
  CHECK(diagnostics.fatal_count() == 1);
  diagnostics.error({}, "second").not_fatal();
  CHECK(diagnostics.fatal_count() == 1);
  diagnostics.warning({}, "third");
  diagnostics.error({}, "fourth");
  CHECK(diagnostics.fatal_count() == 2);
}

TEST_CASE_FIXTURE(Fixture, "a guess makes a hint, and no guess none") {
  CHECK(diagnostics.error({}, "first").suggest("deny").hint == "did you mean 'deny'?");
  CHECK(diagnostics.error({}, "second").suggest("").hint.empty());
}

TEST_CASE("a line has no terminator, and there is none before the first or behind the last") {
  Sources sources;
  const FileId file = sources.add("a", "x\r\ny");
  CHECK(sources.line(file, 1) == "x");
  CHECK(sources.line(file, 2) == "y");
  CHECK(sources.line(file, 0).empty());
  CHECK(sources.line(file, 3).empty());
}

}  // namespace
}  // namespace hawser::grammar
