#include "compiler/check/check.h"

#include "compiler/driver/compile.h"

namespace hawser::compiler {

// Takes for granted: every line was sound by itself.
// Leaves behind:     names of backends resolved, log formats parsed, sizes of buffers settled.
void check(model::Config& config, grammar::Environment& environment, const grammar::Sources& sources,
           const Options& options, grammar::Diagnostics& diagnostics) {
  ReadContext cx{.config = config,
                 .proxy = nullptr,
                 .diagnostics = diagnostics,
                 .environment = environment,
                 .sources = sources,
                 .options = options};
  settle_buffers(config.global);
  // haproxy makes this check when a section ends, so that its messages come before the others.
  for (model::Proxy& proxy : config.proxies) {
    cx.proxy = &proxy;
    if (proxy.kind != model::Proxy::Kind::defaults) check_log_style(cx, proxy);
  }
  for (model::Proxy& proxy : config.proxies) {
    if (proxy.kind == model::Proxy::Kind::defaults || *proxy.disabled) continue;
    cx.proxy = &proxy;
    check_listeners(cx, proxy);
    resolve_backends(cx, proxy);
    resolve_log_lines(cx, proxy);
    check_timeouts(cx, proxy);
    check_server_names(cx, proxy);
    warn_of_buffer_fetches(cx, proxy);
    check_mode(cx, proxy);
  }
}

}  // namespace hawser::compiler
