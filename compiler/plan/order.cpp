#include "compiler/plan/order.h"

namespace hawser::compiler {

ProxyOrder::ProxyOrder(const model::Config& config) {
  for (std::size_t at = 0; at < config.proxies.size(); ++at) {
    const model::ProxyId id = config.proxies.id_at(at);
    if (config.proxies[id].kind == model::Proxy::Kind::defaults) {
      index_.push_back(kNone);
    } else {
      index_.push_back(static_cast<std::uint32_t>(proxies_.size()));
      proxies_.push_back(id);
    }
  }
}

std::uint32_t ProxyOrder::index(model::ProxyId id) const {
  HAWSER_CHECK(id.index < index_.size());
  return index_[id.index];
}

std::uint32_t reply_index(const model::Config& config, model::ReplyId id) {
  HAWSER_CHECK(id.index < config.replies.size());
  return id.index;
}

std::uint32_t deny_reply_index(const model::Config& config, model::Ruleset ruleset) {
  return static_cast<std::uint32_t>(config.replies.size()) + static_cast<std::uint32_t>(ruleset);
}

}  // namespace hawser::compiler
