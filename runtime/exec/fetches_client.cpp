// Fetches about the client's connection, and those that need nothing.
#include "runtime/exec/evaluation.h"

namespace hawser::exec {
namespace {

using abi::Sample;

Sample address(const FetchCall& call, SocketAddress SessionFacts::*which) noexcept {
  return call.subject.session == nullptr ? Sample::absent() : Sample::address((call.subject.session->*which).ip());
}

Sample port(const FetchCall& call, SocketAddress SessionFacts::*which) noexcept {
  if (call.subject.session == nullptr) return Sample::absent();
  const SocketAddress& socket = call.subject.session->*which;
  if (socket.family() != AF_INET && socket.family() != AF_INET6) return Sample::absent();
  return Sample::sint(socket.port());
}

}  // namespace

Sample fetch_always_true(FetchCall&) noexcept { return Sample::boolean(true); }
Sample fetch_always_false(FetchCall&) noexcept { return Sample::boolean(false); }
Sample fetch_bool_(FetchCall& call) noexcept { return Sample::boolean(call.integer(0, 0) != 0); }
Sample fetch_int_(FetchCall& call) noexcept { return Sample::sint(call.integer(0, 0)); }
Sample fetch_str_(FetchCall& call) noexcept { return Sample::text(call.text(0)); }
Sample fetch_wait_end(FetchCall& call) noexcept {
  if (call.subject.final) return Sample::boolean(true);
  Sample sample = Sample::absent();
  sample.pending = true;
  return sample;
}
Sample fetch_src(FetchCall& call) noexcept { return address(call, &SessionFacts::client); }
Sample fetch_dst(FetchCall& call) noexcept { return address(call, &SessionFacts::local); }
Sample fetch_src_port(FetchCall& call) noexcept { return port(call, &SessionFacts::client); }
Sample fetch_dst_port(FetchCall& call) noexcept { return port(call, &SessionFacts::local); }

// The default is for variables that might be set: one of the request in a response, or the other way round, is nothing (haproxy
// 2.6 does the same).
Sample fetch_var(FetchCall& call) noexcept {
  const abi::VariableScope scope = call.arguments[0].scope;
  if (scope == abi::VariableScope::req && call.response()) return Sample::absent();
  const http::Head* response = call.subject.response;
  if (scope == abi::VariableScope::res && (response == nullptr || response->status == 0)) return Sample::absent();
  const Sample value = find_variable(call.subject, scope, call.text(0));
  if (value.is_absent() && call.has(1)) return Sample::text(call.text(1));
  return value;
}

}  // namespace hawser::exec
