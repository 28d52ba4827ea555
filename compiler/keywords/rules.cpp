// The keywords of rules. What stands behind them is read by compiler/resolve.
#include "compiler/resolve/rules.h"
#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

constexpr Param kRest[] = {{.name = "…", .take = Take::rest, .optional = true}};

void lower_acl(ReadContext& cx, const Args& args) { read_acl(cx, args.line()); }
void lower_http_request(ReadContext& cx, const Args& args) { read_http_request(cx, args.line()); }
void lower_http_response(ReadContext& cx, const Args& args) { read_http_response(cx, args.line()); }
void lower_redirect(ReadContext& cx, const Args& args) { read_redirect(cx, args.line()); }
void lower_use_backend(ReadContext& cx, const Args& args) {
  // In a backend the line means nothing.
  if (cx.proxy->frontend()) read_use_backend(cx, args.line());
}

constexpr Keyword kRows[] = {
    {.name = "acl",
     .sections = Section::defaults | kProxies,
     .params = kRest,
     .summary = "Name a test, or add an alternative to one.",
     .lower = lower_acl,
     .named_defaults_only = true},
    {.name = "http-request",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kRest,
     .summary = "Act on requests, in the order of the lines.",
     .lower = lower_http_request,
     .named_defaults_only = true},
    {.name = "http-response",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kRest,
     .summary = "Act on responses, in the order of the lines.",
     .lower = lower_http_response,
     .named_defaults_only = true},
    {.name = "redirect",
     .sections = kProxies,
     .modes = Modes::http,
     .params = kRest,
     .summary = "Send the client to another place.",
     .lower = lower_redirect},
    {.name = "use_backend",
     .sections = Section::frontend | Section::listen,
     .params = kRest,
     .summary = "Choose the backend when a condition holds.",
     .lower = lower_use_backend},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> rule_keywords() { return kRows; }

}  // namespace hawser::compiler
