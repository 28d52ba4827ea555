// Log aliases: addresses, names, counts of connections, the process (manual, 8.2.4).
#include <unistd.h>

#include "runtime/exec/evaluation.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/formats.h"

namespace hawser::exec {
namespace {

using kernels::append_number;
using kernels::append_value;

// "unix" for a UNIX socket, "" for none; with flag hex eight or 32 digits.
void append_address(AliasCall& call, const SocketAddress& socket) {
  const abi::Sample address = abi::Sample::address(socket.ip());
  if (address.is_absent()) {
    append_value(call.text, socket.family() == AF_UNIX ? "unix" : "", call.flags);
    return;
  }
  char buffer[64];
  if ((call.flags & abi::format_hex) == 0) {
    append_value(call.text, kernels::format_address(address, buffer), call.flags);
    return;
  }
  const std::size_t bytes = address.type == abi::SampleType::ipv4 ? 4 : 16;
  for (std::size_t at = 0; at < bytes; ++at) append_number(call.text, address.ip[at], call.flags, 2);
}

// Of a UNIX socket, the id of the listener.
void append_port(AliasCall& call, const SocketAddress& socket) {
  if (socket.family() == AF_INET || socket.family() == AF_INET6) {
    append_number(call.text, socket.port(), call.flags);
  } else if (socket.family() == AF_UNIX && call.subject.session != nullptr && call.subject.installed != nullptr) {
    const auto listeners = call.subject.installed->image().rows(call.subject.installed->plan().listeners);
    const std::uint32_t listener = call.subject.session->listener;
    append_number(call.text, listener < listeners.size() ? listeners[listener].id : 0, call.flags);
  } else {
    kernels::append_absent(call.text, call.flags);
  }
}

const SocketAddress& of_session(AliasCall& call, SocketAddress SessionFacts::*which) noexcept {
  static const SocketAddress kNone;
  return call.subject.session == nullptr ? kNone : call.subject.session->*which;
}
const SocketAddress& of_exchange(AliasCall& call, SocketAddress ExchangeFacts::*which) noexcept {
  static const SocketAddress kNone;
  return call.subject.exchange == nullptr ? kNone : call.subject.exchange->*which;
}

using ProxyRow = tables::Installed::ProxyRow;

const ProxyRow* proxy_at(AliasCall& call, std::int64_t index) noexcept {
  if (call.subject.installed == nullptr || index < 0) return nullptr;
  const auto& proxies = call.subject.installed->proxies();
  return static_cast<std::size_t>(index) < proxies.size() ? &proxies[static_cast<std::size_t>(index)] : nullptr;
}
const ProxyRow* frontend(AliasCall& call) noexcept {
  return call.subject.session == nullptr ? nullptr : proxy_at(call, call.subject.session->frontend);
}
const ProxyRow* backend(AliasCall& call) noexcept {
  return call.subject.exchange == nullptr ? nullptr : proxy_at(call, call.subject.exchange->backend);
}
const tables::Installed::ServerRow* server(AliasCall& call) noexcept {
  const ProxyRow* proxy = backend(call);
  if (proxy == nullptr || call.subject.exchange->server < 0) return nullptr;
  const auto index = static_cast<std::size_t>(call.subject.exchange->server);
  return index < proxy->servers.size() ? &proxy->servers[index] : nullptr;
}

void append_count(AliasCall& call, const tables::CounterSet* counters, tables::Count tables::Counters::*which) {
  append_number(call.text, counters == nullptr ? 0 : counters->sum(which), call.flags & ~abi::format_hex);
}

}  // namespace

void alias_ci(AliasCall& call) noexcept { append_address(call, of_session(call, &SessionFacts::client)); }
void alias_cp(AliasCall& call) noexcept { append_port(call, of_session(call, &SessionFacts::client)); }
void alias_fi(AliasCall& call) noexcept { append_address(call, of_session(call, &SessionFacts::local)); }
void alias_fp(AliasCall& call) noexcept { append_port(call, of_session(call, &SessionFacts::local)); }
void alias_bi(AliasCall& call) noexcept { append_address(call, of_exchange(call, &ExchangeFacts::server_local)); }
void alias_bp(AliasCall& call) noexcept { append_port(call, of_exchange(call, &ExchangeFacts::server_local)); }
void alias_si(AliasCall& call) noexcept { append_address(call, of_exchange(call, &ExchangeFacts::server_address)); }
void alias_sp(AliasCall& call) noexcept { append_port(call, of_exchange(call, &ExchangeFacts::server_address)); }

void alias_f(AliasCall& call) noexcept {
  const ProxyRow* proxy = frontend(call);
  append_value(call.text, proxy == nullptr ? std::string_view() : proxy->name, call.flags);
}
void alias_ft(AliasCall& call) noexcept { alias_f(call); }

// The frontend speaks where no backend was chosen (haproxy does the same).
void alias_b(AliasCall& call) noexcept {
  const ProxyRow* proxy = backend(call);
  if (proxy == nullptr) proxy = frontend(call);
  append_value(call.text, proxy == nullptr ? std::string_view() : proxy->name, call.flags);
}
void alias_s(AliasCall& call) noexcept {
  std::string_view name = "<NOSRV>";
  if (const auto* row = server(call)) {
    name = call.subject.installed->image().text(row->plan->name);
  } else if (call.subject.exchange != nullptr && !call.subject.exchange->service.empty()) {
    name = call.subject.exchange->service;
  }
  append_value(call.text, name, call.flags);
}

void alias_ac(AliasCall& call) noexcept {
  const auto* installed = call.subject.installed;
  append_count(call, installed == nullptr ? nullptr : &installed->state().process, &tables::Counters::current);
}
void alias_fc(AliasCall& call) noexcept {
  const ProxyRow* proxy = frontend(call);
  append_count(call, proxy == nullptr ? nullptr : &proxy->state->frontend, &tables::Counters::current);
}
void alias_bc(AliasCall& call) noexcept {
  const ProxyRow* proxy = backend(call);
  append_count(call, proxy == nullptr ? nullptr : &proxy->state->backend, &tables::Counters::current);
}
void alias_sc(AliasCall& call) noexcept {
  const auto* row = server(call);
  append_count(call, row == nullptr ? nullptr : &row->state->counters, &tables::Counters::current);
}
void alias_lc(AliasCall& call) noexcept {
  const ProxyRow* proxy = frontend(call);
  append_number(call.text, proxy == nullptr ? 0 : proxy->state->frontend.sum(&tables::Counters::log_lines), call.flags);
}

void alias_H(AliasCall& call) noexcept {
  std::string& host = call.worker.host;
  if (host.empty()) {
    host.resize(256);
    if (gethostname(host.data(), host.size()) != 0) host[0] = '\0';
    host.resize(host.find('\0') == std::string::npos ? host.size() : host.find('\0'));
  }
  append_value(call.text, host, call.flags);
}
void alias_pid(AliasCall& call) noexcept {
  if (call.worker.process == 0) call.worker.process = getpid();
  append_number(call.text, call.worker.process, call.flags);
}

}  // namespace hawser::exec
