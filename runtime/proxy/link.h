// A connection to a server: its own transport and codec, and a user, who may be an exchange or something without
// a client (contract 6). Between users it waits in the worker's idle pool, watching for the server's close.
//
//   connecting -> in use <-> idle -> closing -> (back in the pool of links)
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/backend/idle_pool.h"
#include "runtime/http/codec.h"
#include "runtime/proxy/core.h"
#include "runtime/proxy/transport.h"

namespace hawser::proxy {

class Link final : public Transport::Owner, public backend::IdleConnection, public Resident {
 public:
  class User {
   public:
    virtual void on_link_connected(int error) noexcept = 0;
    virtual void on_link_received() noexcept = 0;
    virtual void on_link_sent() noexcept = 0;

   protected:
    ~User() = default;
  };

  explicit Link(Core& core) noexcept;

  // Starts connecting; 0, or the errno for which there was not even a socket. `codec` null: plain bytes.
  int open(backend::ServerKey key, const SocketAddress& address, const Codec* codec, User& user) noexcept;
  // Takes an idle one over.
  void use(User& user) noexcept;
  // Another user goes on with it.
  void change_user(User& user) noexcept { user_ = &user; }
  // The user's last words: it is idle from now on, when that is possible and wanted, or closed.
  void part(bool reusable) noexcept;

  Transport& transport() noexcept { return transport_; }
  http::MessageReader& responses() noexcept { return *reader_; }
  http::MessageWriter& writer() noexcept { return codec_->writer(); }
  backend::ServerKey key() const noexcept { return key_; }
  const SocketAddress& address() const noexcept { return address_; }
  const SocketAddress& local_address() const noexcept { return local_; }

  // Transport::Owner
  void on_received() noexcept override;
  void on_sent() noexcept override;
  void on_connected(int error) noexcept override;
  // IdleConnection
  void expire() noexcept override;
  // Resident
  bool quiet() const noexcept override { return transport_.gone(); }
  void take_back() noexcept override;

 private:
  void close() noexcept;

  Core& core_;
  Transport transport_;
  User* user_ = nullptr;
  const Codec* codec_ = nullptr;
  const Codec* reader_codec_ = nullptr;  // that made reader_
  std::unique_ptr<http::MessageReader> reader_;
  backend::ServerKey key_;
  bool connected_ = false;
  SocketAddress address_;
  SocketAddress local_;
};

}  // namespace hawser::proxy
