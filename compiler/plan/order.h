// The order of rows that Plan and Program share: proxies without the defaults sections, and replies.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/model/config.h"

namespace hawser::compiler {

// The index of each proxy among Plan::proxies and Program::proxies.
class ProxyOrder {
 public:
  explicit ProxyOrder(const model::Config& config);

  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t index(model::ProxyId id) const;  // kNone for a defaults section
  const std::vector<model::ProxyId>& proxies() const noexcept { return proxies_; }

 private:
  std::vector<std::uint32_t> index_;
  std::vector<model::ProxyId> proxies_;
};

// Plan::replies are the configuration's, then those of a `deny` that names none.
std::uint32_t reply_index(const model::Config& config, model::ReplyId id);
std::uint32_t deny_reply_index(const model::Config& config, model::Ruleset ruleset);
inline constexpr std::uint16_t kDenyStatus[] = {403, 502};  // by model::Ruleset

}  // namespace hawser::compiler
