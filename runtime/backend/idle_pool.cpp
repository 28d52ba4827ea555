#include "runtime/backend/idle_pool.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace hawser::backend {

IdlePool::~IdlePool() { HAWSER_CHECK(idle_ == 0); }

void IdlePool::used(ServerKey key) noexcept {
  Server& server = servers_[key.value()];
  server.in_use_max = std::max(server.in_use_max, ++server.in_use);
}

void IdlePool::unused(ServerKey key) noexcept {
  Server& server = servers_[key.value()];
  HAWSER_CHECK(server.in_use > 0);
  --server.in_use;
}

bool IdlePool::put(ServerKey key, IdleConnection& connection) noexcept {
  HAWSER_CHECK(!connection.pooled());
  if (idle_ >= idle_max_) return false;
  Server& server = servers_[key.value()];
  connection.proven_ = connection.was_pooled_;
  connection.was_pooled_ = true;
  link(connection.proven_ ? server.proven : server.fresh, connection);
  return true;
}

IdleConnection* IdlePool::take(ServerKey key, bool proven_only) noexcept {
  if (idle_ == 0) return nullptr;
  const auto found = servers_.find(key.value());
  if (found == servers_.end()) return nullptr;
  Server& server = found->second;
  IdleConnection* connection = server.proven.first;
  if (connection == nullptr && !proven_only) connection = server.fresh.first;
  if (connection != nullptr) remove(*connection);
  return connection;
}

void IdlePool::link(IdleConnection::List& list, IdleConnection& connection) noexcept {
  connection.previous_ = nullptr;
  connection.next_ = list.first;
  if (list.first != nullptr) list.first->previous_ = &connection;
  list.first = &connection;
  connection.list_ = &list;
  ++list.count;
  ++idle_;
}

void IdlePool::remove(IdleConnection& connection) noexcept {
  HAWSER_CHECK(connection.pooled());
  IdleConnection::List& list = *connection.list_;
  (connection.previous_ != nullptr ? connection.previous_->next_ : list.first) = connection.next_;
  if (connection.next_ != nullptr) connection.next_->previous_ = connection.previous_;
  connection.list_ = nullptr;
  connection.previous_ = connection.next_ = nullptr;
  --list.count;
  --idle_;
}

// The least recently used go first: they are the last of the list.
void IdlePool::expire(IdleConnection::List& list, std::size_t count) noexcept {
  std::size_t keep = list.count - std::min(count, list.count);
  IdleConnection* at = list.first;
  while (at != nullptr && keep > 0) {
    at = at->next_;
    --keep;
  }
  while (at != nullptr) {
    IdleConnection* next = at->next_;
    remove(*at);
    at->expire();
    at = next;
  }
}

void IdlePool::purge() noexcept {
  for (auto& [key, server] : servers_) {
    const std::size_t held = server.in_use + server.fresh.count + server.proven.count;
    const std::size_t surplus = held - std::min(held, server.in_use_max);
    const std::size_t close = (surplus + 1) / 2;
    const std::size_t from_fresh = std::min(close, server.fresh.count);
    expire(server.fresh, from_fresh);
    expire(server.proven, close - from_fresh);
    server.in_use_max = server.in_use;
  }
}

void IdlePool::shed() noexcept {
  if (idle_ == 0) return;
  for (auto& [key, server] : servers_) {
    if (server.fresh.count > 0) return expire(server.fresh, 1);
    if (server.proven.count > 0) return expire(server.proven, 1);
  }
}

void IdlePool::clear() noexcept {
  for (auto& [key, server] : servers_) {
    expire(server.fresh, server.fresh.count);
    expire(server.proven, server.proven.count);
  }
}

std::size_t IdlePool::idle(ServerKey key) const noexcept {
  const auto found = servers_.find(key.value());
  return found == servers_.end() ? 0 : found->second.fresh.count + found->second.proven.count;
}

}  // namespace hawser::backend
