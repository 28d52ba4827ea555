// Formats, actions, redirections, replies and the choice of a backend.
#include <doctest/doctest.h>

#include "compiler/keywords/actions.h"
#include "tests/unit/compiler/resolve_helper.h"

namespace hawser::compiler {
namespace {

const model::Format& format_of(const Reading& reading) { return reading.request_rules().at(0).format; }

const model::Reply& reply_of(const Reading& reading) {
  return reading.config.replies[*reading.request_rules().at(0).reply];
}

}  // namespace

TEST_CASE("a format is texts, aliases and samples with their flags") {
  const Reading reading(R"(http-request set-header X-A "a%%b %{+Q}ci  %{+X,-Q}o%cp%[path,lower]")");
  REQUIRE(reading.said() == "");
  const auto& parts = format_of(reading).parts;
  REQUIRE(parts.size() == 5);
  CHECK(parts[0].text == "a%b ");
  CHECK(parts[1].alias == abi::AliasId::ci);
  CHECK((parts[1].flags & abi::format_quote) != 0);
  CHECK(parts[2].text == "  ");
  CHECK((parts[3].flags & abi::format_hex) != 0);
  CHECK(parts[4].sample->converters.size() == 1);
  CHECK((parts[4].flags & abi::format_empty) != 0);
  CHECK(reading.request_rules()[0].name == "x-a");
  CHECK(!format_of(reading).constant());
}

TEST_CASE("a log line's blanks collapse, and what is absent there is '-'") {
  Reading reading("");
  ReadContext cx{reading.config,  nullptr, reading.diagnostics, reading.environment, reading.sources,
                 reading.options, {}};
  const auto format = resolve_log_format(cx, reading.proxy(), built_in_word("%ci   %[src]", {}));
  REQUIRE(format.has_value());
  REQUIRE(format->parts.size() == 3);
  CHECK(format->parts[1].text == " ");
  CHECK((format->parts[2].flags & abi::format_empty) == 0);
}

TEST_CASE("the built-in log formats are right in their modes") {
  Reading reading("");
  ReadContext cx{reading.config,  nullptr, reading.diagnostics, reading.environment, reading.sources,
                 reading.options, {}};
  model::Proxy proxy = reading.proxy();
  CHECK(resolve_log_format(cx, proxy, built_in_word(kHttpLogFormat, {})).has_value());
  proxy.mode.value = abi::Mode::tcp;
  CHECK(resolve_log_format(cx, proxy, built_in_word(kTcpLogFormat, {})).has_value());
  CHECK(reading.said() == "");
  CHECK(!resolve_log_format(cx, proxy, built_in_word(kHttpLogFormat, {})).has_value());
  CHECK(reading.said() == "failed to parse log-format : format variable 'tr' is reserved for HTTP mode.\n");
}

TEST_CASE("a sample that is not there is refused in a format, with the rest of the word") {
  const Reading reading("http-response set-header X a%[path]b");
  CHECK(reading.said() ==
        "error detected in frontend 'web' while parsing 'http-response set-header' rule : sample fetch "
        "<path]b> may not be "
        "reliably used here because it needs 'HTTP request headers' which is not available here.\n");
  CHECK(reading.pointed_at() == "path");
}

TEST_CASE("an unknown action is answered with the list and a guess, a known one is not supported") {
  const Reading unknown("http-request dney");
  CHECK(unknown.said().find("but got 'dney'. Did you mean 'deny' maybe ?") != std::string::npos);
  CHECK(unknown.pointed_at() == "dney");
  for (const std::string_view name : later_actions(model::Ruleset::http_request)) {
    const Reading later("http-request " + std::string(name));
    REQUIRE(later.diagnostics.all().size() == 1);
    CHECK_MESSAGE(later.diagnostics.all()[0].unsupported, name);
  }
}

TEST_CASE("what follows an action is a condition or a mistake") {
  CHECK(Reading("http-request deny x").said() ==
        "'http-request deny' expects either 'if' or 'unless' followed by a condition but found 'x'.\n");
  CHECK(Reading("http-request set-header X-A a b").said().find("but found 'b'") != std::string::npos);
  CHECK(Reading("http-request set-header X-A").said().find("expects exactly 2 arguments.") != std::string::npos);
}

TEST_CASE("deny alone answers with the error page, deny status without a body") {
  CHECK(reply_of(Reading("http-request deny")).status == 403);
  CHECK(reply_of(Reading("http-request deny")).is_error_page);
  CHECK(reply_of(Reading("http-request deny deny_status 404 if TRUE")).is_error_page);
  CHECK(!reply_of(Reading("http-request deny status 404")).is_error_page);
  CHECK(!reply_of(Reading("http-request deny deny_status 404 hdr A b")).is_error_page);
  CHECK(!reply_of(Reading("http-request return")).is_error_page);
  const Reading response("http-response deny");
  CHECK(response.config.replies[*response.response_rules().at(0).reply].status == 502);
  CHECK(Reading("http-request deny deny_status 418").diagnostics.has_fatal());
  CHECK(!Reading("http-request deny status 418").diagnostics.has_fatal());
}

TEST_CASE("a reply's body needs a type, and a type without a body is ignored") {
  const Reading reading(
      "http-request return status 201 content-type text/plain lf-string \"a %[src]\" hdr X-Y %[path]");
  REQUIRE(reading.said() == "");
  const model::Reply& reply = reply_of(reading);
  CHECK(reply.status == 201);
  CHECK(reply.content_type == "text/plain");
  CHECK(reply.body_format->parts.size() == 2);
  REQUIRE(reply.fields.size() == 1);
  CHECK(Reading("http-request return string a").diagnostics.has_fatal());
  CHECK(Reading("http-request return status 204 content-type a string b").diagnostics.has_fatal());
  const Reading ignored("http-request return content-type a");
  CHECK(!ignored.diagnostics.has_fatal());
  CHECK(reply_of(ignored).content_type.empty());
}

TEST_CASE("redirect lines stay behind the rules of http-request") {
  const Reading reading("redirect location /a\nhttp-request deny if FALSE\nredirect prefix /b code 301 drop-query");
  CHECK(reading.said() == "a 'http-request' rule placed after a 'redirect' rule will still be processed before.\n");
  REQUIRE(reading.request_rules().size() == 3);
  CHECK(reading.request_rules()[0].action == abi::ActionId::deny);
  CHECK(reading.request_rules()[1].redirect->kind == abi::Redirect::Kind::location);
  CHECK(reading.request_rules()[2].redirect->code == 301);
  CHECK(reading.request_rules()[2].redirect->drop_query);
}

TEST_CASE("a redirect line's target is text, an http-request redirect's is a format") {
  CHECK(Reading("redirect location /%[path]").request_rules().at(0).redirect->target.constant());
  CHECK(!Reading("http-request redirect location /%[path]").request_rules().at(0).redirect->target.constant());
  CHECK(Reading("http-response redirect prefix /").said().find("response only supports redirect type 'location'") !=
        std::string::npos);
  CHECK(Reading("redirect location / ignore-empty").diagnostics.all().at(0).unsupported);
}

TEST_CASE("use_backend takes a name, or a format when it has one") {
  const Reading fixed("use_backend app if { path /x }");
  CHECK(fixed.proxy().backend_rules.at(0).backend_name == "app");
  CHECK(!fixed.proxy().backend_rules[0].dynamic);
  CHECK(Reading("use_backend a%%b").proxy().backend_rules.at(0).backend_name == "a%b");
  CHECK(Reading("use_backend b_%[req.hdr(host),lower]").proxy().backend_rules.at(0).dynamic.has_value());
  CHECK(Reading("use_backend %[status]").said().find("failed to parse use_backend rule '%[status]' : ") == 0);
  CHECK(Reading("use_backend app\nhttp-request deny").said() ==
        "a 'http-request' rule placed after a 'use_backend' rule will still be processed before.\n");
}

TEST_CASE("rules behind an end without a condition are warned of, once") {
  CHECK(Reading("http-request allow\nhttp-request set-header A b\nhttp-request deny").said() ==
        "previous 'http-request' action is final and has no condition attached, further entries are NOOP.\n");
  CHECK(Reading("http-request deny if TRUE\nhttp-request deny").said() == "");
  CHECK(Reading("http-request deny\nhttp-response deny").said() == "");
  CHECK(Reading("redirect location /a\nredirect location /b").said() == "");
}

TEST_CASE("del-header's methods are str, beg, end, sub and reg") {
  CHECK(Reading("http-request del-header X-Old -m beg").request_rules().at(0).method == "beg");
  CHECK(Reading("http-request del-header X-Old").request_rules().at(0).method == "str");
  CHECK(Reading("http-request del-header X(.)\\1 -m reg").said() == "");
  CHECK(Reading("http-request del-header X -m foo").said().find("-m with unsupported matching method 'foo'") !=
        std::string::npos);
}

}  // namespace hawser::compiler
