// Actions that edit fields and set variables, and the variables' scopes.
//
// A field's name is a constant in lower case and its value is in the exchange's arena or a constant too, so that an edit
// copies no byte.
#include "runtime/exec/evaluation.h"
#include "runtime/kernels/casts.h"

namespace hawser::exec {
namespace {

using abi::Sample;
using abi::VariableScope;

void append(const ActionCall& call, http::Head& head) {
  Sample value = call.value;
  kernels::cast(value, abi::SampleType::string, *call.subject.arena);
  head.fields.push_back(
      {call.image.text(call.argument.text), value.is_absent() ? std::string_view() : value.view(), false});
}

Variables* variables_of(const Subject& subject, VariableScope scope) noexcept {
  switch (scope) {
    case VariableScope::sess: return subject.session == nullptr ? nullptr : &subject.session->variables;
    case VariableScope::txn: return subject.txn;
    case VariableScope::req: return subject.req;
    case VariableScope::res: return subject.res;
    case VariableScope::proc:
    case VariableScope::check: return nullptr;
  }
  return nullptr;
}

}  // namespace

Sample find_variable(const Subject& subject, VariableScope scope, std::string_view name) {
  if (scope == VariableScope::proc) {
    if (subject.installed == nullptr) return Sample::absent();
    return subject.installed->state().variables.find(name, *subject.arena);
  }
  const Variables* variables = variables_of(subject, scope);
  const Sample* value = variables == nullptr ? nullptr : variables->find(name);
  if (value == nullptr) return Sample::absent();
  // A later rule may write over the bytes while a field still shows them.
  if (!kernels::is_text(value->type)) return *value;
  return Sample::text(subject.arena->copy(value->view()), value->type);
}

void set_variable(const Subject& subject, VariableScope scope, std::string_view name, const Sample& value) {
  if (scope == VariableScope::proc) {
    if (subject.installed != nullptr) subject.installed->state().variables.set(name, value);
    return;
  }
  Variables* variables = variables_of(subject, scope);
  if (variables == nullptr) return;
  variables->set(name, value, scope == VariableScope::sess ? subject.session->arena : *subject.arena);
}

void act_set_header(const ActionCall& call) noexcept {
  http::Head* head = call.head();
  if (head == nullptr) return;
  head->remove(call.image.text(call.argument.text));
  append(call, *head);
}

void act_add_header(const ActionCall& call) noexcept {
  if (http::Head* head = call.head()) append(call, *head);
}

// By its exact name, or all whose names match a set's pattern.
void act_del_header(const ActionCall& call) noexcept {
  http::Head* head = call.head();
  if (head == nullptr) return;
  if (call.set == nullptr) {
    head->remove(call.image.text(call.argument.text));
    return;
  }
  for (http::Field& field : head->fields) {
    if (kernels::matches(Sample::text(field.name), *call.set)) field.removed = true;
  }
}

// A sample that is absent leaves the variable as it was (haproxy does the same).
void act_set_var(const ActionCall& call) noexcept {
  if (call.value.is_absent()) return;
  set_variable(call.subject, call.argument.scope, call.image.text(call.argument.text), call.value);
}

namespace {

bool is_ip(const SocketAddress& socket) noexcept { return socket.family() == AF_INET || socket.family() == AF_INET6; }

// The port stays; a socket that had none gets 0 (manual, set-src).
void set_address(const ActionCall& call, SocketAddress SessionFacts::*which) noexcept {
  Sample value = call.value;
  kernels::cast(value, abi::SampleType::address, *call.subject.arena);
  if (value.is_absent() || call.subject.session == nullptr) return;
  SocketAddress& socket = call.subject.session->*which;
  socket = SocketAddress::ip(value.to_address(), is_ip(socket) ? socket.port() : 0);
}

// A socket without a port becomes 0.0.0.0 first (manual, set-src-port).
void set_port(const ActionCall& call, SocketAddress SessionFacts::*which) noexcept {
  Sample value = call.value;
  kernels::cast(value, abi::SampleType::sint, *call.subject.arena);
  if (value.is_absent() || call.subject.session == nullptr) return;
  SocketAddress& socket = call.subject.session->*which;
  socket = SocketAddress::ip(is_ip(socket) ? socket.ip() : IpAddress::v4(0), static_cast<std::uint16_t>(value.integer));
}

}  // namespace

void act_set_src(const ActionCall& call) noexcept { set_address(call, &SessionFacts::client); }
void act_set_src_port(const ActionCall& call) noexcept { set_port(call, &SessionFacts::client); }
void act_set_dst(const ActionCall& call) noexcept { set_address(call, &SessionFacts::local); }
void act_set_dst_port(const ActionCall& call) noexcept { set_port(call, &SessionFacts::local); }

}  // namespace hawser::exec
