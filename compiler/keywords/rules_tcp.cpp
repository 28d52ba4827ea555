// tcp-request …, tcp-response …: rules about connections and about bytes that nobody has parsed, and how long they wait for
// these.
#include <fmt/format.h>

#include "compiler/keywords/keyword.h"
#include "compiler/resolve/rules.h"

namespace hawser::compiler {
namespace {

constexpr Param kRest[] = {{.name = "…", .take = Take::rest, .optional = true}};
// What stands behind the delay is not looked at (haproxy 2.6 does the same).
constexpr Param kRequestDelay[] = {{.name = "time",
                                    .take = Take::duration,
                                    .missing = "'tcp-request inspect-delay' expects a positive delay in milliseconds"}};
constexpr Param kResponseDelay[] = {
    {.name = "time",
     .take = Take::duration,
     .missing = "'tcp-response inspect-delay' expects a positive delay in milliseconds"}};

// Both are rules of listeners. False after a message.
bool has_clients(ReadContext& cx, const Args& args) {
  if (cx.in_defaults() || cx.proxy->frontend()) return true;
  refuse(cx, {}, args.keyword_span(),
         fmt::format("{} is not allowed because {} {} is not a frontend", args.keyword(), proxy_type(*cx.proxy),
                     cx.proxy->name));
  return false;
}

bool has_servers(ReadContext& cx, const Args& args) {
  if (cx.in_defaults() || cx.proxy->backend()) return true;
  refuse(cx, {}, args.keyword_span(),
         fmt::format("{} is only allowed in 'backend' sections or 'defaults' section with a name", args.keyword()));
  return false;
}

// Says that rules which stand before this line are carried out behind it.
void warn_of_order(ReadContext& cx, const Args& args, model::Ruleset ruleset) {
  using model::Ruleset;
  const auto rules = [&](Ruleset one) { return cx.proxy->rules[static_cast<std::size_t>(one)].size(); };
  std::string_view later;
  if (ruleset < Ruleset::tcp_session && rules(Ruleset::tcp_session) > 0) {
    later = "a 'tcp-request session'";
  } else if (ruleset < Ruleset::tcp_content && rules(Ruleset::tcp_content) > 0) {
    later = "a 'tcp-request content'";
  } else if (rules(Ruleset::http_request) > cx.proxy->redirect_lines) {
    later = "an 'http-request'";
  } else if (cx.proxy->redirect_lines > 0) {
    later = "a 'redirect'";
  } else if (!cx.proxy->backend_rules.empty()) {
    later = "a 'use_backend'";
  }
  if (later.empty()) return;
  cx.diagnostics.warning(args.keyword_span(),
                         "a 'tcp-request' rule placed after {} rule will still be processed before.", later);
}

void read_request_rule(ReadContext& cx, const Args& args, model::Ruleset ruleset) {
  read_tcp_rule(cx, args.line(), ruleset);
  warn_of_order(cx, args, ruleset);
}

void lower_connection(ReadContext& cx, const Args& args) {
  if (has_clients(cx, args)) read_request_rule(cx, args, model::Ruleset::tcp_connection);
}
void lower_session(ReadContext& cx, const Args& args) {
  if (has_clients(cx, args)) read_request_rule(cx, args, model::Ruleset::tcp_session);
}
void lower_content(ReadContext& cx, const Args& args) { read_tcp_rule(cx, args.line(), model::Ruleset::tcp_content); }
void lower_answer(ReadContext& cx, const Args& args) {
  if (has_servers(cx, args)) read_tcp_rule(cx, args.line(), model::Ruleset::tcp_response);
}
void lower_request_delay(ReadContext& cx, const Args& args) {
  cx.proxy->request_inspect_ms = args.setting<std::uint32_t>(0);
}
void lower_response_delay(ReadContext& cx, const Args& args) {
  if (has_servers(cx, args)) cx.proxy->response_inspect_ms = args.setting<std::uint32_t>(0);
}

constexpr Section kAnywhere = Section::defaults | kProxies;

constexpr Keyword kRows[] = {
    {.name = "tcp-request connection",
     .sections = kAnywhere,
     .params = kRest,
     .summary = "Act on connections as soon as they are accepted, in the order of the lines.",
     .lower = lower_connection,
     .named_defaults_only = true},
    {.name = "tcp-request content",
     .sections = kAnywhere,
     .params = kRest,
     .summary = "Act on what the client has sent so far, in the order of the lines.",
     .lower = lower_content,
     .named_defaults_only = true},
    {.name = "tcp-request inspect-delay",
     .sections = kAnywhere,
     .params = kRequestDelay,
     .summary = "Let `tcp-request content` rules wait at most so long for data.",
     .lower = lower_request_delay,
     .extra = kUnread,
     .named_defaults_only = true},
    {.name = "tcp-request session",
     .sections = kAnywhere,
     .params = kRest,
     .summary = "Act on connections once their handshakes are over, in the order of the lines.",
     .lower = lower_session,
     .named_defaults_only = true},
    {.name = "tcp-response content",
     .sections = kAnywhere,
     .params = kRest,
     .summary = "Act on what the server has sent so far, in the order of the lines.",
     .lower = lower_answer,
     .named_defaults_only = true},
    {.name = "tcp-response inspect-delay",
     .sections = kAnywhere,
     .params = kResponseDelay,
     .summary = "Let `tcp-response content` rules wait at most so long for data.",
     .lower = lower_response_delay,
     .extra = kUnread,
     .named_defaults_only = true},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> tcp_rule_keywords() { return kRows; }

}  // namespace hawser::compiler
