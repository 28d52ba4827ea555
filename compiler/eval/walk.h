// A request's way through a configuration, as an exchange goes it: the frontend's rules, its choice of a backend, the
// backend's rules; and with a response, its rules, backend first. Nothing is sent anywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/eval/evaluator.h"
#include "compiler/eval/trace.h"

namespace hawser::eval {

// One ruleset that was evaluated.
struct Visit {
  model::ProxyId proxy;
  abi::EntryPoint point = abi::EntryPoint::http_request;
  Trace trace;
  Evaluation end;
};

struct Walk {
  enum class Choice : std::uint8_t { none, rule, default_backend, itself };  // itself: a `listen` section
  std::vector<Visit> visits;
  std::optional<model::ProxyId> backend;
  Choice choice = Choice::none;
  bool reached_choice = false;
  bool answered = false;        // by the last visit's end: a reply of ours
  bool closed = false;          // by the last visit's end: the connection, without an answer
  std::string forwarded_field;  // that `option forwardfor` added; empty: none
};

// `subject` has the session, the exchange and, but for TCP, the request; `response` is the server's, or null when its rules are
// not asked for. Edits the heads.
Walk walk(const Evaluator& evaluator, model::ProxyId frontend, exec::Subject& subject, exec::WorkerContext& worker,
          http::Head* response);

}  // namespace hawser::eval
