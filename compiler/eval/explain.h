// `hawser explain`: what a configuration would do with a request, rule by rule. No traffic is sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/eval/explanation.h"
#include "compiler/model/config.h"
#include "grammar/source.h"
#include "runtime/abi/image.h"
#include "runtime/base/address.h"
#include "runtime/base/result.h"

namespace hawser::eval {

// The words behind `hawser explain`.
struct ExplainCommand {
  std::vector<std::string> paths;  // -f
  std::string frontend;            // --frontend
  std::optional<SocketAddress> client;
  std::optional<SocketAddress> local;
  std::string request;              // "GET /path HTTP/1.1"; empty: TCP
  std::vector<std::string> fields;  // -H, "Name: value"
  std::string response;             // "200", "HTTP/1.1 200 OK"; empty: the rules of responses are left out
  std::vector<std::string> response_fields;
  bool json = false;
  bool help = false;
};

// The error is a sentence for the user.
Result<ExplainCommand, std::string> parse_explain(const std::vector<std::string>& words);
std::string explain_usage(std::string_view program);

// The explanation of a sound configuration and its Plan; the error is a sentence for the user.
Result<Explanation, std::string> explain(const ExplainCommand& command, const model::Config& config,
                                         abi::ImageView plan, const grammar::Sources& sources, const Answers& answers);

}  // namespace hawser::eval
