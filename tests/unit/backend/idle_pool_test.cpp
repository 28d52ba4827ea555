#include "runtime/backend/idle_pool.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace hawser::backend {
namespace {

struct Connection final : IdleConnection {
  void expire() noexcept override { expired = true; }
  bool expired = false;
};

constexpr ServerKey kServer{1, 2};

TEST_CASE("the most recently used connection of a server is taken first, of another server none") {
  IdlePool pool(10);
  Connection a, b;
  CHECK(pool.put(kServer, a));
  CHECK(pool.put(kServer, b));
  CHECK(pool.take({1, 3}, false) == nullptr);
  CHECK(pool.take(kServer, false) == &b);
  CHECK(pool.take(kServer, false) == &a);
  CHECK(pool.take(kServer, false) == nullptr);
}

TEST_CASE("a connection is proven once it was used again") {
  IdlePool pool(10);
  Connection a;
  CHECK(pool.put(kServer, a));
  CHECK(pool.take(kServer, true) == nullptr);
  CHECK(pool.take(kServer, false) == &a);
  CHECK(pool.put(kServer, a));
  CHECK(pool.take(kServer, true) == &a);
}

TEST_CASE("a full pool takes no more") {
  IdlePool pool(1);
  Connection a, b;
  CHECK(pool.put(kServer, a));
  CHECK_FALSE(pool.put(kServer, b));
  pool.remove(a);
}

TEST_CASE("shedding closes one connection, the least recently used, and nothing of an empty pool") {
  IdlePool pool(10);
  Connection a, b;
  pool.shed();
  CHECK(pool.put(kServer, a));
  CHECK(pool.put(kServer, b));
  pool.shed();
  CHECK(a.expired);
  CHECK_FALSE(b.expired);
  pool.shed();
  CHECK(b.expired);
  CHECK(pool.idle() == 0);
}

TEST_CASE("a purge closes half of what was not needed, the least recently used first") {
  IdlePool pool(10);
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < 6; ++i) {
    connections.push_back(std::make_unique<Connection>());
    pool.used(kServer);
  }
  for (const auto& connection : connections) {
    pool.unused(kServer);
    CHECK(pool.put(kServer, *connection));
  }
  pool.purge();  // all six were in use at once
  CHECK(pool.idle() == 6);
  pool.purge();  // none was
  CHECK(pool.idle(kServer) == 3);
  CHECK(connections[0]->expired);
  CHECK_FALSE(connections[5]->expired);
  pool.clear();
  CHECK(pool.idle() == 0);
  CHECK(connections[5]->expired);
}

}  // namespace
}  // namespace hawser::backend
