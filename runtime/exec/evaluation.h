// What the steps of one run see. Fetches, aliases and actions are functions over these, one a row of their .def file.
#pragma once

#include <string_view>

#include "runtime/exec/run.h"

namespace hawser::exec {

// A variable's value for the length of a run: where it might change meanwhile, a copy in the exchange's arena.
abi::Sample find_variable(const Subject& subject, abi::VariableScope scope, std::string_view name);
void set_variable(const Subject& subject, abi::VariableScope scope, std::string_view name, const abi::Sample& value);

// One call of a fetch. With `next`, the occurrence behind the one that the cursor last gave.
struct FetchCall {
  const Subject& subject;
  abi::ImageView image;
  const abi::Constant* arguments;  // as many as the row has params; null when it was called without any
  std::uint8_t flags;              // FetchFlags
  bool next;
  Frame::Cursor& cursor;

  bool every() const noexcept { return (flags & abi::fetch_every) != 0; }
  bool response() const noexcept { return (flags & abi::fetch_response) != 0; }
  bool has(std::size_t at) const noexcept {
    return arguments != nullptr && arguments[at].kind != abi::Constant::Kind::none;
  }
  std::string_view text(std::size_t at) const { return has(at) ? image.text(arguments[at].text) : std::string_view(); }
  std::int64_t integer(std::size_t at, std::int64_t otherwise) const noexcept {
    return has(at) ? arguments[at].integer : otherwise;
  }
  // The request's head; where rules of a response run, it is gone (haproxy 2.6 does the same).
  const http::Head* request() const noexcept { return response() ? nullptr : subject.request; }
  const http::Head* head() const noexcept { return response() ? subject.response : subject.request; }
};

using Fetch = abi::Sample (*)(FetchCall& call) noexcept;
#define FETCH(id, ...) abi::Sample fetch_##id(FetchCall& call) noexcept;
#include "runtime/abi/fetches.def"
#undef FETCH

// Appends to `text` what a log alias says, with FormatFlags.
struct AliasCall {
  std::string& text;
  const Subject& subject;
  WorkerContext& worker;
  std::uint16_t flags;
};
using Alias = void (*)(AliasCall& call) noexcept;
#define ALIAS(id, ...) void alias_##id(AliasCall& call) noexcept;
#include "runtime/abi/aliases.def"
#undef ALIAS

// Carries out one of the actions that go on behind them (opcode `act`).
struct ActionCall {
  const Subject& subject;
  abi::ImageView image;
  const abi::Constant& argument;
  const abi::Sample& value;
  const kernels::SetView* set;  // of an argument that is one
  bool response;

  http::Head* head() const noexcept { return response ? subject.response : subject.request; }
};
void act_set_header(const ActionCall& call) noexcept;
void act_add_header(const ActionCall& call) noexcept;
void act_del_header(const ActionCall& call) noexcept;
void act_set_var(const ActionCall& call) noexcept;
void act_set_src(const ActionCall& call) noexcept;
void act_set_src_port(const ActionCall& call) noexcept;
void act_set_dst(const ActionCall& call) noexcept;
void act_set_dst_port(const ActionCall& call) noexcept;

}  // namespace hawser::exec
