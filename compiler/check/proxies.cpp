// Checks of one proxy: its listeners, its timeouts, its servers, and what its mode leaves without a meaning.
#include <map>
#include <string_view>

#include "compiler/check/check.h"
#include "compiler/resolve/availability.h"
#include "runtime/abi/rows.h"

namespace hawser::compiler {
namespace {

bool has_timeout(const model::Proxy& proxy, std::string_view name) {
  const auto found = proxy.timeouts.find(name);
  return found != proxy.timeouts.end() && *found->second != 0;
}

// The first test of a condition whose fetch `wanted` means; null: none.
template <class Wanted>
const model::Test* find_test(const ReadContext& cx, const model::Condition& condition, const Wanted& wanted) {
  for (const auto& all_of : condition.any_of) {
    for (const model::Term& term : all_of) {
      for (const model::Test& test : cx.config.acls[term.acl].tests) {
        if (wanted(test.sample.fetch)) return &test;
      }
    }
  }
  return nullptr;
}

bool reads_http(abi::FetchId fetch) noexcept {
  using abi::Effect;
  return abi::overlap(abi::row(fetch).reads,
                      Effect::request_line | Effect::request_fields | Effect::response_line | Effect::response_fields);
}

}  // namespace

void check_listeners(ReadContext& cx, const model::Proxy& proxy) {
  if (!proxy.frontend() || !proxy.binds.empty()) return;
  cx.diagnostics
      .warning(proxy.name_span, "{} has no 'bind' directive. Please declare it as a backend if this was intended.",
               cx.proxy_title())
      .from(grammar::Origin::config);
}

void check_timeouts(ReadContext& cx, const model::Proxy& proxy) {
  const bool client_missing = proxy.frontend() && !has_timeout(proxy, "client");
  const bool server_missing =
      proxy.backend() && !proxy.servers.empty() && (!has_timeout(proxy, "connect") || !has_timeout(proxy, "server"));
  if (!client_missing && !server_missing) return;
  cx.diagnostics
      .warning(proxy.name_span,
               "missing timeouts for {}.\n"
               "   | While not properly invalid, you will certainly encounter various problems\n"
               "   | with such a configuration. To fix this, please ensure that all following\n"
               "   | timeouts are set to a non-zero value: 'client', 'connect', 'server'.",
               cx.proxy_title())
      .from(grammar::Origin::config);
}

void check_server_names(ReadContext& cx, const model::Proxy& proxy) {
  std::map<std::string_view, const model::Server*> seen;
  for (const model::Server& server : proxy.servers) {
    const auto [first, is_new] = seen.emplace(server.name, &server);
    if (is_new) continue;
    cx.diagnostics
        .error(server.span, "{}, another server named '{}' was already defined at line {}, please use distinct names.",
               cx.proxy_title(), server.name, first->second->span.line)
        .label(first->second->span, "the other stands here");
  }
}

// They are carried out all the same, here as in haproxy 2.6.
void warn_of_buffer_fetches(ReadContext& cx, const model::Proxy& proxy) {
  if (*proxy.mode != abi::Mode::http) return;
  const auto warn = [&](const auto& rules) {
    for (const auto& rule : rules) {
      if (!rule.condition || find_test(cx, *rule.condition, reads_buffer) == nullptr) continue;
      cx.diagnostics
          .warning(rule.condition->span, "Proxy '{}': L6 sample fetches ignored on HTTP proxies (declared at {}:{}).",
                   proxy.name, cx.sources.name(rule.span.file), rule.span.line)
          .from(grammar::Origin::config);
    }
  };
  for (const auto& rules : proxy.rules) warn(rules);
  warn(proxy.backend_rules);
}

// haproxy reads the bytes of a TCP session as HTTP where a rule asks for it.
void refuse_http_fetches(ReadContext& cx, const model::Proxy& proxy) {
  const auto refuse_all = [&](const auto& rules) {
    for (const auto& rule : rules) {
      if (!rule.condition) continue;
      const model::Test* const test = find_test(cx, *rule.condition, reads_http);
      if (test == nullptr) continue;
      cx.diagnostics
          .error(rule.condition->span, "'{}' in mode tcp is not supported by hawser yet (proxy '{}').",
                 abi::name_of(test->sample.fetch), proxy.name)
          .unsupported = true;
    }
  };
  refuse_all(proxy.rules[static_cast<std::size_t>(model::Ruleset::tcp_content)]);
  refuse_all(proxy.rules[static_cast<std::size_t>(model::Ruleset::tcp_response)]);
  refuse_all(proxy.backend_rules);
}

void check_mode(ReadContext& cx, const model::Proxy& proxy) {
  if (*proxy.mode == abi::Mode::http) return;
  refuse_http_fetches(cx, proxy);
  const auto ignored = [&](grammar::Span span, std::string_view what, std::string_view verb) {
    cx.diagnostics.warning(span, "{} ignored for {} as {} HTTP mode.", what, cx.proxy_title(), verb)
        .from(grammar::Origin::config);
  };
  const auto& requests = proxy.rules[static_cast<std::size_t>(model::Ruleset::http_request)];
  const auto& responses = proxy.rules[static_cast<std::size_t>(model::Ruleset::http_response)];
  const std::size_t request_lines = requests.size() - proxy.redirect_lines;
  if (request_lines > 0) ignored(requests.front().span, "'http-request' rules", "they require");
  if (!responses.empty()) ignored(responses.front().span, "'http-response' rules", "they require");
  if (proxy.redirect_lines > 0) ignored(requests[request_lines].span, "'redirect' rules", "they require");
  if ((*proxy.forward_for).enabled) ignored(proxy.forward_for.span, "'option forwardfor'", "it requires");
}

void settle_buffers(model::Global& global) {
  const abi::Global built_in;
  const std::uint32_t buffer = global.buffer_bytes.is_set() ? *global.buffer_bytes : built_in.buffer_bytes;
  const std::uint32_t rewrite = global.rewrite_bytes.is_set() ? *global.rewrite_bytes : built_in.rewrite_bytes;
  // More than half of the buffer is too much to keep free: haproxy 2.6 takes half.
  if (rewrite < buffer / 2) return;
  const grammar::Span span = global.rewrite_bytes.is_set() ? global.rewrite_bytes.span : global.buffer_bytes.span;
  global.rewrite_bytes = {buffer / 2, span};
}

}  // namespace hawser::compiler
