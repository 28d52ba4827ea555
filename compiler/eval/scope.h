// What every part of one evaluation sees.
#pragma once

#include "compiler/eval/patterns.h"
#include "compiler/model/config.h"
#include "runtime/exec/evaluation.h"

namespace hawser::eval {

struct Scope {
  const model::Config& config;
  const Patterns& patterns;
  const exec::Subject& subject;
  exec::WorkerContext& worker;
  abi::EntryPoint point;

  bool in_response() const noexcept {
    return point == abi::EntryPoint::http_response || point == abi::EntryPoint::http_after_response ||
           point == abi::EntryPoint::tcp_response;
  }
  // More data may come: what is not known yet is waited for. Elsewhere it counts as not there.
  bool waits() const noexcept { return point == abi::EntryPoint::content || point == abi::EntryPoint::tcp_response; }
  http::Head* edited_head() const noexcept { return in_response() ? subject.response : subject.request; }
  Arena& arena() const noexcept { return *subject.arena; }
};

}  // namespace hawser::eval
