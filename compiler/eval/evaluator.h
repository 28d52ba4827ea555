// The plain evaluator: what a configuration's rules do, read from the model as it stands.
//
// One rule after the other, one term after the other, one pattern after the other, each looked at where it stands: no
// steps, no registers, no merged look-ups. It is the measure that the engines are held against, and what `hawser
// explain` shows. It shares with them what is not about the order of things: the fetches and log aliases of runtime/exec
// and the kernels (casts, converters, comparisons, number formats).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/eval/patterns.h"
#include "compiler/eval/trace.h"
#include "compiler/model/config.h"
#include "runtime/exec/run.h"

namespace hawser::eval {

// What a ruleset came to: exec::Outcome, and what of exec::Frame means something behind it.
struct Evaluation {
  exec::Outcome::Kind kind = exec::Outcome::Kind::next;  // next, stop, reply or need
  std::size_t rule = 0;                                  // the rule that ended it; of need: that it waits at
  // Of reply:
  abi::ActionId action = abi::ActionId::count_;
  std::uint32_t reply = 0;                    // of Plan::replies, when it is no redirection
  const model::Redirect* redirect = nullptr;  // of the model
  std::string location;                       // redirect
  std::string body;                           // of a reply with a computed one
  std::vector<std::string> field_values;      // of a reply with `hdr`s
  // Of choose_backend:
  std::optional<model::ProxyId> backend;
  // Of log:
  std::string line;
};

// The rules of one configuration, which outlives it.
class Evaluator {
 public:
  explicit Evaluator(const model::Config& config) : config_(config), patterns_(config) {}

  // Evaluates what `proxy` has at `point`: edits the subject's heads and variables as the rules say. After `need`, and with more
  // data, it goes on at the rule that waits: `first`. With a trace, notes what it did.
  Evaluation run(model::ProxyId proxy, abi::EntryPoint point, const exec::Subject& subject, exec::WorkerContext& worker,
                 Trace* trace = nullptr, std::size_t first = 0) const;

  const model::Config& config() const noexcept { return config_; }

 private:
  const model::Config& config_;
  Patterns patterns_;
};

}  // namespace hawser::eval
