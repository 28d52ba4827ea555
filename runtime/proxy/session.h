// A client connection. It waits for requests and gives each to an exchange; in TCP mode it is one exchange.
//
//   idle <-> busy -> (flushing) -> lingering -> closing -> (back in the pool of sessions)
//     +-------------------------------------------^
//
// Between exchanges it holds little: no head, no arena, no send batch.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/exec/subject.h"
#include "runtime/proxy/core.h"
#include "runtime/proxy/link.h"
#include "runtime/proxy/transport.h"

namespace hawser::proxy {

class Exchange;

class Session final : public Transport::Owner, public Resident, public Link::User {
 public:
  explicit Session(Core& core) noexcept;

  // Begins with an accepted connection, whose places in the gauges are taken.
  void begin(io::Descriptor descriptor, std::uint32_t listener) noexcept;

  // The worker drains: closes when idle, else after the response.
  void drain() noexcept;
  // Now, whatever happens.
  void stop() noexcept;

  // For the exchange.
  Transport& client() noexcept { return client_; }
  exec::SessionFacts& facts() noexcept { return facts_; }
  const abi::Proxy& frontend() const noexcept { return *frontend_; }
  std::uint32_t frontend_index() const noexcept { return facts_.frontend; }
  const Codec& codec() const noexcept { return *codec_; }
  http::MessageReader& requests() noexcept { return *reader_; }
  bool first() const noexcept { return exchanges_ <= 1; }
  std::uint64_t idle_since_us() const noexcept { return idle_since_us_; }
  // Lets the exchange go on until it waits, and what follows it.
  void drive() noexcept;
  // A server connection of this session alone (`http-reuse never`), idle.
  Link* take_own_link(backend::ServerKey key) noexcept;
  void keep_own_link(Link& link) noexcept;

  // Transport::Owner
  void on_received() noexcept override;
  void on_sent() noexcept override;
  void on_connected(int) noexcept override {}
  // Resident
  bool quiet() const noexcept override { return client_.gone() && exchange_ == nullptr; }
  void take_back() noexcept override;
  // Link::User, of the idle own link
  void on_link_connected(int) noexcept override {}
  void on_link_received() noexcept override;
  void on_link_sent() noexcept override {}

  Session* next = nullptr;  // of Core::sessions
  Session* previous = nullptr;

 private:
  enum class Step : std::uint8_t { idle, busy, lingering, closing };
  struct Timer : io::Timer {
    explicit Timer(Session& session) noexcept : io::Timer(&Session::fire), session(session) {}
    Session& session;
  };
  static void fire(io::Timer& timer) noexcept { static_cast<Timer&>(timer).session.on_timer(); }
  void on_timer() noexcept;
  // Whether the rules at a point let it live; counts it if they do not.
  bool admitted_by(abi::EntryPoint point, tables::Count tables::Counters::*denied) noexcept;
  void count() noexcept;
  void start_exchange() noexcept;
  void conclude_exchange() noexcept;
  void wait_for_request() noexcept;
  void linger() noexcept;
  void close() noexcept;
  void drop_own_link() noexcept;
  void set_deadline(std::uint64_t deadline_ms) noexcept;

  Core& core_;
  Transport client_;
  Timer timer_;
  Exchange* exchange_ = nullptr;
  const abi::Proxy* frontend_ = nullptr;
  const Codec* codec_ = nullptr;
  const Codec* reader_codec_ = nullptr;  // that made reader_
  std::unique_ptr<http::MessageReader> reader_;
  Link* own_link_ = nullptr;
  exec::SessionFacts facts_;
  Step step_ = Step::closing;
  bool driving_ = false;
  bool counted_ = false;  // rules have let it live
  std::uint32_t exchanges_ = 0;
  std::uint64_t idle_since_us_ = 0;
};

}  // namespace hawser::proxy
