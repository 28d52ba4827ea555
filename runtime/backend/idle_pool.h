// Server connections that wait for their next request: one pool a worker, keyed by server. What a pooled
// connection is, the pool does not know; its owner watches it for the peer's close and takes it out.
//
//   put() -> [fresh]  -- take(any) -->  in use -- put() --> [proven]
//
// A connection is proven once it was used again after waiting: those are the ones that haproxy's `http-reuse
// aggressive` gives to a session's first request. The most recently used goes first. Every kPurgeMs half of
// what was not needed since is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace hawser::backend {

struct ServerKey {
  std::uint32_t proxy = 0;
  std::uint32_t server = 0;
  std::uint64_t value() const noexcept { return std::uint64_t{proxy} << 32 | server; }
};

class IdleConnection {
 public:
  // The pool has let go of it and wants it closed.
  virtual void expire() noexcept = 0;
  bool pooled() const noexcept { return list_ != nullptr; }
  bool proven() const noexcept { return proven_; }

 protected:
  ~IdleConnection() = default;
  void forget_past() noexcept { proven_ = was_pooled_ = false; }

 private:
  friend class IdlePool;
  struct List {
    IdleConnection* first = nullptr;
    std::size_t count = 0;
  };
  IdleConnection* previous_ = nullptr;
  IdleConnection* next_ = nullptr;
  List* list_ = nullptr;
  bool proven_ = false;
  bool was_pooled_ = false;
};

class IdlePool {
 public:
  static constexpr std::uint64_t kPurgeMs = 5'000;  // haproxy's pool-purge-delay

  // `idle_max`: of all servers; more are not taken in.
  explicit IdlePool(std::size_t idle_max) noexcept : idle_max_(idle_max) {}
  ~IdlePool();
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // Says that a connection to the server is in use, or no longer: how the need is measured.
  void used(ServerKey key) noexcept;
  void unused(ServerKey key) noexcept;

  // False when the pool is full: the connection stays its owner's.
  bool put(ServerKey key, IdleConnection& connection) noexcept;
  // Null when there is none.
  IdleConnection* take(ServerKey key, bool proven_only) noexcept;
  void remove(IdleConnection& connection) noexcept;

  // Closes one, of any server: its descriptor is needed.
  void shed() noexcept;
  // Closes half of the surplus of each server; called every kPurgeMs.
  void purge() noexcept;
  // Closes all.
  void clear() noexcept;

  std::size_t idle() const noexcept { return idle_; }
  std::size_t idle(ServerKey key) const noexcept;

 private:
  struct Server {
    IdleConnection::List fresh;
    IdleConnection::List proven;
    std::size_t in_use = 0;
    std::size_t in_use_max = 0;  // since the last purge
  };
  void link(IdleConnection::List& list, IdleConnection& connection) noexcept;
  void expire(IdleConnection::List& list, std::size_t count) noexcept;

  std::unordered_map<std::uint64_t, Server> servers_;
  std::size_t idle_max_;
  std::size_t idle_ = 0;
};

}  // namespace hawser::backend
