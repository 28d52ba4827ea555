// Log formats: parsed when the proxy's mode is known.
#include <algorithm>

#include "compiler/check/check.h"
#include "compiler/resolve/rules.h"

namespace hawser::compiler {

void check_log_style(ReadContext& cx, model::Proxy& proxy) {
  if (*proxy.log_style != model::Proxy::LogStyle::httplog || *proxy.mode == abi::Mode::http) return;
  // Inherited by a backend, or by a frontend that overrides the mode: HAProxy falls back in silence or aloud.
  if (proxy.frontend()) {
    cx.diagnostics.warning(proxy.log_style.span,
                           "'option httplog' not usable with {} (needs 'mode http'). Falling back to 'option tcplog'.",
                           cx.proxy_title());
  }
  proxy.log_style.value = model::Proxy::LogStyle::tcplog;
  proxy.log_format_text = kTcpLogFormat;
  proxy.log_format_word = built_in_word(kTcpLogFormat, proxy.log_style.span);
}

void resolve_log_lines(ReadContext& cx, model::Proxy& proxy) {
  if (!proxy.frontend() || *proxy.log_style == model::Proxy::LogStyle::none) return;
  if (auto format = resolve_log_format(cx, proxy, proxy.log_format_word)) {
    proxy.log_format = {*std::move(format), proxy.log_style.span};
  }
  const bool has_targets = std::any_of(proxy.logs.begin(), proxy.logs.end(), [&](const model::LogTarget& log) {
    return !log.global || !cx.config.global.logs.empty();
  });
  if (has_targets) return;
  cx.diagnostics
      .warning(proxy.log_style.span, "log format ignored for {} since it has no log address.", cx.proxy_title())
      .from(grammar::Origin::config);
}

}  // namespace hawser::compiler
