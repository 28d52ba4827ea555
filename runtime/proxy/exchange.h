// One request and its response, or one TCP session: between a session and, when there is one, a link.
//
//   read_head -> rules -> choose_server -> connect -> response_head -> response_rules -> relay -> flush -> over
//       |          |           ^   |          |            |                |  |           |        ^
//       |          |           |   |  turn_around          +----------------+--+-----------+        |
//       |          |           +---+----------+            |  101, CONNECT   +-> tunnel --+--------+
//       +----------+---------------+-------- a reply of our own ------------------------------------+
//       +-> tarpit -> a reply of our own
//   (TCP) rules -> choose_server -> connect -> tunnel -> flush -> over
//
// A try that fails goes from connect back to choose_server, at once or by turn_around. Any step may fail() into flush, and any
// may be abandoned into over. enter() holds every change of step to its table of edges. The files: exchange.cpp (the machine, deadlines, the end), and by phase
// exchange_request.cpp, exchange_server.cpp, exchange_response.cpp, exchange_reply.cpp, exchange_tunnel.cpp, exchange_log.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/arena.h"
#include "runtime/base/bytes.h"
#include "runtime/exec/run.h"
#include "runtime/exec/subject.h"
#include "runtime/http/codec.h"
#include "runtime/proxy/body.h"
#include "runtime/proxy/core.h"
#include "runtime/proxy/link.h"

namespace hawser::proxy {

class Session;

class Exchange final : public Link::User, public Resumable {
 public:
  explicit Exchange(Core& core);

  void begin(Session& session) noexcept;
  // Goes on until it has to wait or is over.
  void advance() noexcept;

  bool over() const noexcept { return step_ == Step::over; }
  // Once over: may the client connection carry another request; has the client sent what nobody will read?
  bool keeps_client() const noexcept { return keep_client_; }
  bool leaves_unread() const noexcept { return leaves_unread_; }

  // When on_deadline() is due, unless something happens before; all bits set: never.
  std::uint64_t deadline_ms() const noexcept;
  void on_deadline() noexcept;

  void on_client_received() noexcept;
  void on_client_sent() noexcept { active(); }
  // The worker stops: gives up what it holds, without a word to anybody.
  void abandon() noexcept;

  // Link::User
  void on_link_connected(int error) noexcept override;
  void on_link_received() noexcept override;
  void on_link_sent() noexcept override;
  // Resumable
  void resume() noexcept override;

 private:
  enum class Step : std::uint8_t {
    read_head,
    rules,
    tarpit,
    choose_server,
    connect,
    turn_around,
    response_head,
    response_rules,
    relay,
    tunnel,
    flush,
    over,
  };
  enum class Next : std::uint8_t { wait, again };

  // exchange.cpp
  // The one way from step to step.
  Next enter(Step step) noexcept;
  void active() noexcept;
  void look_again() noexcept;
  Next flush() noexcept;
  void terminate(char who, char when) noexcept;
  // Ends it: what is queued for the client is still sent, then its connection is closed.
  Next fail(char who, char when) noexcept;
  void part_with_link(bool reusable) noexcept;
  void finish() noexcept;
  bool has_backend() const noexcept { return facts_.backend >= 0; }
  const abi::Proxy& frontend() const noexcept;
  const abi::Proxy& backend() const noexcept;
  abi::ConnectionMode connection_mode() const noexcept;
  Transport& client() const noexcept;

  // exchange_request.cpp
  Next read_head() noexcept;
  http::HeadResult read_gathered(Transport& source, http::MessageReader& reader, http::Head& head) noexcept;
  Next request_head_complete(const http::HeadResult& result) noexcept;
  Next client_left_early() noexcept;
  bool null_request() const noexcept;
  Next malformed_request(const http::HeadResult& result) noexcept;
  Next rules() noexcept;
  exec::Outcome inspect_request(std::uint32_t proxy) noexcept;
  // Runs rules about bytes. They wait for more of these, at most for `delay_ms` from the first time on, unless `whole`.
  exec::Outcome inspect(std::uint32_t proxy, abi::EntryPoint point, std::uint32_t delay_ms, bool whole) noexcept;
  void forget_request() noexcept;
  bool is_full(Transport& source) const noexcept;
  std::string_view gather(Transport& source) noexcept;
  bool is_whole(const BodyPump& body, Transport& source) const noexcept;
  Next close_request(abi::ActionId action) noexcept;
  Next drop_client() noexcept;
  Next begin_tarpit(const exec::Outcome& outcome) noexcept;
  Next tarpit() noexcept;
  exec::Outcome run(std::uint32_t proxy, abi::EntryPoint point) noexcept;
  // Whether the evaluation waits; `next` then says how.
  bool suspended(const exec::Outcome& outcome) noexcept;
  Next choose_backend() noexcept;
  Next prepare_request() noexcept;
  void add_forwarded_for() noexcept;

  // exchange_server.cpp
  Next choose_server() noexcept;
  void count_choice(std::uint32_t server) noexcept;
  Next try_server(std::int32_t server) noexcept;
  bool reuse_link(backend::ServerKey key) noexcept;
  Next connect() noexcept;
  Next connect_failed(bool timed_out) noexcept;
  Next turn_around() noexcept;
  Next connected() noexcept;
  Next no_server() noexcept;
  bool settle_request() noexcept;
  void send_request_head() noexcept;
  void pump_request() noexcept;

  // exchange_response.cpp
  Next response_head() noexcept;
  Next response_head_complete(const http::HeadResult& result) noexcept;
  Next interim_response(const http::HeadResult& result) noexcept;
  Next server_left_early() noexcept;
  Next server_took_no_more() noexcept;
  Next response_rules() noexcept;
  bool settle_response() noexcept;
  void withdraw_response() noexcept;
  void send_response_head() noexcept;
  Next relay() noexcept;

  // exchange_reply.cpp
  Next reply(const exec::Outcome& outcome) noexcept;
  Next reply_redirect(const exec::Outcome& outcome) noexcept;
  Next reply_row(std::uint32_t row) noexcept;
  Next reply_error(std::uint16_t status) noexcept;
  Next reply_early_error(std::uint16_t status) noexcept;
  const abi::Reply* error_reply(std::uint16_t status) const noexcept;
  void begin_reply(std::uint16_t status, std::string_view reason) noexcept;
  Next send_reply(std::string_view body) noexcept;
  Next send_raw_reply(const RawReply& raw) noexcept;

  // exchange_tunnel.cpp
  Next begin_tunnel() noexcept;
  Next tunnel() noexcept;
  bool inspect_response() noexcept;
  exec::Outcome inspect_response_head(std::uint32_t proxy) noexcept;
  Next refuse_response(abi::ActionId action) noexcept;
  void end_behind_response() noexcept;
  bool move(Transport& source, Transport& target, std::uint64_t& moved) noexcept;

  // exchange_log.cpp
  void log() noexcept;
  void count_end() noexcept;
  void count_engines() noexcept;

  Core& core_;
  Session* session_ = nullptr;
  Link* link_ = nullptr;
  Step step_ = Step::over;
  std::uint64_t trace_ = 0;  // the last 16 steps, 4 bits each: for whoever looks at a dead process
  std::uint8_t stage_ = 0;   // of rules and response_rules: which ruleset is next
  exec::ResumePoint resume_ = 0;
  bool http_ = false;
  bool keep_client_ = false;
  bool keep_server_ = false;  // the link may carry another exchange
  bool leaves_unread_ = false;
  bool request_known_ = false;     // its head is complete
  bool upgrade_ = false;           // the request asks for one
  bool response_begun_ = false;    // some of it is on its way
  bool silent_ = false;            // not to be logged
  bool announce_chunked_ = false;  // of the head that goes out next: rules took its body's framing
  bool suspended_ = false;
  bool ran_native_ = false;       // some of its rules
  bool ran_interpreted_ = false;  // some of its rules
  bool needs_data_ = false;       // suspended until more data comes, or the deadline
  bool first_server_ = true;      // none was tried before
  std::uint64_t step_began_ms_ = 0;
  std::uint64_t last_active_ms_ = 0;
  std::uint64_t wake_ms_ = 0;  // of turn_around, or of a suspended program; 0: none
  std::int32_t tried_server_ = -1;
  std::uint64_t inspect_until_ms_ = 0;  // of rules that have begun to wait; 0: none has
  bool inspecting_response_ = false;    // the server's bytes wait for a verdict, in a tunnel
  exec::Outcome answer_;                // of a tarpit: what it will say

  BodyPump request_body_;
  BodyPump response_body_;
  Bytes gathered_;  // a head that came in several pieces

  exec::Subject subject_;
  exec::ExchangeFacts facts_;
  exec::Frame frame_;
  http::Head request_;
  http::Head response_;
  exec::Variables txn_variables_;
  exec::Variables req_variables_;
  exec::Variables res_variables_;
  Arena arena_;
};

}  // namespace hawser::proxy
