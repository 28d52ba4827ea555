// timeout …
#include <fmt/format.h>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

constexpr Elsewhere kWillBeIgnored{.text = "'{0}' will be ignored because {1} has no {2} capability"};
constexpr Extra kExtraArgument{.refusal = "'{0}' : unexpected extra argument '{1}' after value '{2}'."};

// Set by a line of this section, not inherited.
bool set_here(const model::Proxy& proxy, grammar::Span span) {
  return span.valid() && span.file == proxy.span.file && span.line >= proxy.span.line;
}

void lower_timeout(ReadContext& cx, const Args& args) {
  const std::string_view name = args.keyword().substr(std::string_view("timeout ").size());
  auto& timeout = cx.proxy->timeouts[std::string(name)];
  if (set_here(*cx.proxy, timeout.span)) {
    warn(cx, args.voice, args.keyword_span(),
         fmt::format("overwriting '{}' which was already specified", args.keyword()))
        .label(timeout.span, "it was specified here");
  }
  timeout = args.setting<std::uint32_t>(0);
}

consteval Param timeout_param(std::string_view missing) {
  return {.name = "time", .take = Take::duration, .missing = missing};
}
#define HAWSER_TIMEOUT_PARAM(id, name) \
  constexpr Param id[] = {timeout_param("'timeout " name "' expects an integer value (in milliseconds)")};
HAWSER_TIMEOUT_PARAM(kCheck, "check")
HAWSER_TIMEOUT_PARAM(kClient, "client")
HAWSER_TIMEOUT_PARAM(kClientFin, "client-fin")
HAWSER_TIMEOUT_PARAM(kClientHs, "client-hs")
HAWSER_TIMEOUT_PARAM(kConnect, "connect")
HAWSER_TIMEOUT_PARAM(kHttpKeepAlive, "http-keep-alive")
HAWSER_TIMEOUT_PARAM(kHttpRequest, "http-request")
HAWSER_TIMEOUT_PARAM(kQueue, "queue")
HAWSER_TIMEOUT_PARAM(kServer, "server")
HAWSER_TIMEOUT_PARAM(kServerFin, "server-fin")
HAWSER_TIMEOUT_PARAM(kTarpit, "tarpit")
HAWSER_TIMEOUT_PARAM(kTunnel, "tunnel")
#undef HAWSER_TIMEOUT_PARAM

constexpr Keyword timeout_row(std::string_view name, Section sections, std::span<const Param> params,
                              std::string_view summary, Modes modes = Modes::any) {
  return {.name = name,
          .sections = sections,
          .modes = modes,
          .params = params,
          .summary = summary,
          .lower = lower_timeout,
          .elsewhere = kWillBeIgnored,
          .extra = kExtraArgument};
}

constexpr Keyword kRows[] = {
    timeout_row("timeout check", kServerSide, kCheck,
                "Wait at most so long for the answer to a health check, once connected."),
    timeout_row("timeout client", kClientSide, kClient, "Close when the client is silent for so long."),
    timeout_row("timeout client-fin", kClientSide, kClientFin,
                "Close when the client is silent for so long after one side has closed."),
    timeout_row("timeout client-hs", kClientSide, kClientHs, "Wait at most so long for a client's TLS handshake."),
    timeout_row("timeout connect", kServerSide, kConnect, "Wait at most so long for a connection to a server."),
    timeout_row("timeout http-keep-alive", kClientSide | kServerSide, kHttpKeepAlive,
                "Wait at most so long for the next request on a connection.", Modes::http),
    timeout_row("timeout http-request", kClientSide | kServerSide, kHttpRequest,
                "Wait at most so long for a whole request head.", Modes::http),
    timeout_row("timeout queue", kServerSide, kQueue, "Wait at most so long for a server that is free."),
    timeout_row("timeout server", kServerSide, kServer, "Give up when the server is silent for so long."),
    timeout_row("timeout server-fin", kServerSide, kServerFin,
                "Close when the server is silent for so long after one side has closed."),
    timeout_row("timeout tarpit", kClientSide | kServerSide, kTarpit,
                "Keep a client that is to be slowed down waiting for so long.", Modes::http),
    timeout_row("timeout tunnel", kServerSide, kTunnel,
                "Close when a tunnel is silent for so long, in either direction."),
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> timeout_keywords() { return kRows; }

}  // namespace hawser::compiler
