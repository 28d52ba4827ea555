// The rows of a Plan, each from its part of the model. `PlanWriter` holds what they share: the image being built.
#pragma once

#include "compiler/driver/compile.h"
#include "compiler/plan/order.h"
#include "runtime/abi/plan.h"

namespace hawser::compiler {

class PlanWriter {
 public:
  PlanWriter(const model::Config& config, const grammar::Sources& sources, const Options& options)
      : config_(config), sources_(sources), options_(options), order_(config) {}

  abi::Image write();

 private:
  abi::Global global();
  abi::Proxy proxy(const model::Proxy& proxy, std::uint32_t automatic_id);
  abi::Timeouts timeouts(const model::Proxy& proxy) const;
  abi::ForwardFor forward_for(const model::Proxy::ForwardFor& option);
  abi::Rows<abi::Server> servers(const model::Proxy& proxy);
  abi::Rows<abi::LogTarget> logs(const std::vector<model::LogTarget>& targets);
  void add_log(const model::LogTarget& target, std::vector<abi::LogTarget>& rows);
  void add_listeners(const model::Proxy& proxy, std::uint32_t index, std::vector<abi::Listener>& rows);
  abi::Rows<abi::Reply> replies();
  abi::Reply reply(const model::Reply& reply);
  abi::Address address(const model::Address& address);
  abi::Place place(grammar::Span span);

  const model::Config& config_;
  const grammar::Sources& sources_;
  const Options& options_;
  ProxyOrder order_;
  abi::ImageBuilder builder_;
};

}  // namespace hawser::compiler
