// option …
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"
#include "compiler/resolve/rules.h"
#include "runtime/base/address.h"

namespace hawser::compiler {
namespace {

constexpr Section kBothSides = kClientSide | kServerSide;
// HAProxy leaves out the word `option`: {3}.
constexpr Elsewhere kOptionElsewhere{.text = "'{3}' ignored because {1} has no {2} capability."};
constexpr Elsewhere kNoLogInBackends{.text = "{1} : '{0}' directive is ignored in backends."};

void set_flag(model::Setting<bool>& flag, const Args& args) {
  flag = args.defaulted ? model::Setting<bool>{} : model::Setting<bool>{!args.negated, args.keyword_span()};
}

void lower_dontlognull(ReadContext& cx, const Args& args) { set_flag(cx.proxy->dontlognull, args); }

// One of the three ways of keeping connections: asking for one ends the others, also inherited ones.
void set_connection_mode(model::Proxy& proxy, model::Setting<bool>& flag, const Args& args) {
  if (!args.negated && !args.defaulted) {
    for (auto* other : {&proxy.http_keep_alive, &proxy.http_server_close, &proxy.http_close}) *other = {};
  }
  set_flag(flag, args);
}
void lower_http_keep_alive(ReadContext& cx, const Args& args) {
  set_connection_mode(*cx.proxy, cx.proxy->http_keep_alive, args);
}
void lower_http_server_close(ReadContext& cx, const Args& args) {
  set_connection_mode(*cx.proxy, cx.proxy->http_server_close, args);
}
void lower_httpclose(ReadContext& cx, const Args& args) { set_connection_mode(*cx.proxy, cx.proxy->http_close, args); }

// A network "10.0.0.0/8", "10.0.0.0/255.0.0.0" or one address.
bool read_network(std::string_view text, IpAddress& address, std::uint8_t& bits) {
  const std::size_t slash = text.find('/');
  const auto parsed = IpAddress::parse(text.substr(0, slash));
  if (!parsed) return false;
  const unsigned whole = parsed->family == IpAddress::Family::v4 ? 32 : 128;
  unsigned count = whole;
  if (slash != std::string_view::npos) {
    const std::string_view mask = text.substr(slash + 1);
    if (const auto dotted = IpAddress::parse(mask); dotted && dotted->family == parsed->family) {
      count = 0;
      bool ended = false;
      for (unsigned bit = 0; bit < whole; ++bit) {
        const bool set = (dotted->bytes[bit / 8] & (0x80 >> (bit % 8))) != 0;
        if (set && ended) return false;  // a mask with holes, which haproxy 2.6 takes
        ended = ended || !set;
        count += set ? 1 : 0;
      }
    } else {
      const LooseInteger read = read_loose_integer(mask);
      if (!read.whole || read.value < 0 || read.value > whole) return false;
      count = static_cast<unsigned>(read.value);
    }
  }
  address = *parsed;
  bits = static_cast<std::uint8_t>(count);
  return true;
}

constexpr Param kForwardForParams[] = {
    {.name = "except NETWORK, header NAME, if-none", .take = Take::rest, .optional = true}};
void lower_forwardfor(ReadContext& cx, const Args& args) {
  model::Proxy::ForwardFor settings;
  settings.enabled = true;
  for (std::size_t at = 0; args.has(at); ++at) {
    const std::string_view word = args.text(at);
    if (word == "if-none") {
      settings.if_none = true;
    } else if (word == "header") {
      ++at;
      if (args.text(at).empty()) {
        refuse(cx, args.voice, args.span(at - 1), "'option forwardfor header' expects <header_name> as argument.");
        return;
      }
      settings.field = args.text(at);
    } else if (word == "except") {
      ++at;
      if (!read_network(args.text(at), settings.except, settings.except_bits)) {
        refuse(cx, args.voice, args.has(at) ? args.span(at) : args.span(at - 1),
               "'option forwardfor except' expects <address>[/mask] as argument.");
        return;
      }
    } else {
      refuse(cx, args.voice, args.span(at),
             "'option forwardfor' only supports optional values: 'except', 'header' and 'if-none'.");
      return;
    }
  }
  cx.proxy->forward_for = {settings, args.keyword_span()};
}

void set_log_style(ReadContext& cx, const Args& args, model::Proxy::LogStyle style, std::string_view format) {
  cx.proxy->log_style = {style, args.keyword_span()};
  cx.proxy->log_format_text = format;
  cx.proxy->log_format_word = built_in_word(format, args.keyword_span());
}

constexpr Param kHttplogParams[] = {{.name = "clf", .optional = true}};
void lower_httplog(ReadContext& cx, const Args& args) {
  if (args.text(0) == "clf") {
    not_supported(cx, args.voice, args.span(0), "'option httplog clf'");
  } else if (args.has(0)) {
    refuse(cx, args.voice, args.span(0), "keyword 'httplog' only supports option 'clf'.");
  } else {
    set_log_style(cx, args, model::Proxy::LogStyle::httplog, kHttpLogFormat);
  }
}

constexpr Param kTcplogParams[] = {{.name = "clf", .optional = true}};
void lower_tcplog(ReadContext& cx, const Args& args) {
  if (args.text(0) == "clf") {
    not_supported(cx, args.voice, args.span(0), "'option tcplog clf'");
  } else if (args.has(0)) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("'option tcplog' cannot handle unexpected argument '{}'.", args.text(0)));
  } else {
    set_log_style(cx, args, model::Proxy::LogStyle::tcplog, kTcpLogFormat);
  }
}

constexpr Param kRedispatchParams[] = {{.name = "interval", .take = Take::loose_integer, .optional = true}};
void lower_redispatch(ReadContext& cx, const Args& args) {
  set_flag(cx.proxy->redispatch, args);
  cx.proxy->redispatch_interval =
      args.has(0) ? static_cast<std::int32_t>(std::clamp<std::int64_t>(args.number(0), INT32_MIN, INT32_MAX)) : -1;
}

constexpr Keyword kRows[] = {
    {.name = "option dontlognull",
     .sections = kClientSide,
     .summary = "Do not log connections over which nothing came.",
     .lower = lower_dontlognull,
     .prefixes = Prefixes::no_and_default,
     .elsewhere = kOptionElsewhere},
    {.name = "option forwardfor",
     .sections = kBothSides,
     .modes = Modes::http,
     .params = kForwardForParams,
     .summary = "Tell the servers the client's address in a field of the request.",
     .lower = lower_forwardfor},
    {.name = "option http-keep-alive",
     .sections = kBothSides,
     .modes = Modes::http,
     .summary = "Keep connections of both sides for the next exchange: what happens by default.",
     .lower = lower_http_keep_alive,
     .prefixes = Prefixes::no_and_default},
    {.name = "option http-server-close",
     .sections = kBothSides,
     .modes = Modes::http,
     .summary = "Close the server's connection after each exchange, and keep the client's.",
     .lower = lower_http_server_close,
     .prefixes = Prefixes::no_and_default},
    {.name = "option httpclose",
     .sections = kBothSides,
     .modes = Modes::http,
     .summary = "Close the connections of both sides after each exchange.",
     .lower = lower_httpclose,
     .prefixes = Prefixes::no_and_default},
    {.name = "option httplog",
     .sections = kClientSide,
     .modes = Modes::http,
     .params = kHttplogParams,
     .summary = "Log each exchange with its timers, addresses, request line and status.",
     .lower = lower_httplog,
     .elsewhere = kNoLogInBackends},
    {.name = "option redispatch",
     .sections = kServerSide,
     .params = kRedispatchParams,
     .summary = "Let a retry go to another server than the one that failed.",
     .lower = lower_redispatch,
     .prefixes = Prefixes::no_and_default,
     .elsewhere = kOptionElsewhere,
     .extra = kUnread},
    {.name = "option tcplog",
     .sections = kClientSide,
     .params = kTcplogParams,
     .summary = "Log each session with its timers, addresses and counts.",
     .lower = lower_tcplog,
     .elsewhere = kNoLogInBackends},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> proxy_option_keywords() { return kRows; }

}  // namespace hawser::compiler
