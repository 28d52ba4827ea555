// The rows of a Plan, each from its part of the model. `PlanWriter` holds what they share: the image being built.
#pragma once

#include <optional>
#include <set>

#include "compiler/driver/compile.h"
#include "compiler/plan/order.h"
#include "runtime/abi/plan.h"

namespace hawser::compiler {

// Numbers things in order, as haproxy 2.6 does: who brings no id takes the lowest free one from a counter on, and the
// counter moves ahead with everyone. (Servers a, b with `id 1`, and c have the ids 2, 1 and 4.)
class Ids {
 public:
  explicit Ids(std::uint32_t first = 1) : next_(first) {}
  void reserve(const std::optional<std::uint32_t>& given) {
    if (given) taken_.insert(*given);
  }
  std::uint32_t next(const std::optional<std::uint32_t>& given) {
    std::uint32_t id = 0;
    if (given) {
      id = *given;
    } else {
      while (taken_.contains(next_)) ++next_;
      id = next_;
      taken_.insert(id);
    }
    ++next_;
    return id;
  }

 private:
  std::set<std::uint32_t> taken_;
  std::uint32_t next_;
};

class PlanWriter {
 public:
  PlanWriter(const model::Config& config, const grammar::Sources& sources, const Options& options)
      : config_(config), sources_(sources), options_(options), order_(config) {}

  abi::Image write();

 private:
  abi::Global global();
  abi::Proxy proxy(const model::Proxy& proxy, std::uint32_t id);
  abi::Timeouts timeouts(const model::Proxy& proxy) const;
  abi::ForwardFor forward_for(const model::Proxy::ForwardFor& option);
  abi::Rows<abi::Server> servers(const model::Proxy& proxy);
  abi::Rows<abi::LogTarget> logs(const std::vector<model::LogTarget>& targets);
  void add_log(const model::LogTarget& target, std::vector<abi::LogTarget>& rows);
  abi::SocketOptions socket_options(const model::Bind& bind);
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
