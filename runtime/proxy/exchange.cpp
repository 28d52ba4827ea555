#include "runtime/proxy/exchange.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/check.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

std::uint64_t after(std::uint64_t since_ms, std::uint32_t timeout) noexcept {
  return timeout == abi::kForever ? kNever : since_ms + timeout;
}

}  // namespace

Exchange::Exchange(Core& core) : core_(core) {
  subject_.installed = core.generation.installed.get();
  subject_.exchange = &facts_;
  subject_.request = &request_;
  subject_.response = &response_;
  subject_.txn = &txn_variables_;
  subject_.req = &req_variables_;
  subject_.res = &res_variables_;
  subject_.arena = &arena_;
}

void Exchange::begin(Session& session) noexcept {
  session_ = &session;
  link_ = nullptr;
  stage_ = 0;
  resume_ = 0;
  http_ = session.frontend().mode == abi::Mode::http;
  subject_.raw = !http_;
  keep_client_ = keep_server_ = leaves_unread_ = request_known_ = upgrade_ = response_begun_ = silent_ = false;
  announce_chunked_ = suspended_ = ran_native_ = ran_interpreted_ = false;
  first_server_ = true;
  wake_ms_ = inspect_until_ms_ = 0;
  inspecting_response_ = false;
  tried_server_ = -1;
  request_body_.reset();
  response_body_.reset();
  gathered_.clear();
  facts_ = {};
  facts_.idle_since_us = session.idle_since_us();
  // Of a first request of which nothing came, all the time since the connection counts.
  facts_.began = session.first() && session.client().input().empty() ? session.facts().accepted : core_.now;
  facts_.number = core_.next_request_number();
  subject_.session = &session.facts();
  subject_.now = core_.now;
  request_.clear();
  response_.clear();
  txn_variables_.clear();
  req_variables_.clear();
  res_variables_.clear();
  arena_.reset();
  last_active_ms_ = core_.now.ms();
  enter(http_ ? Step::read_head : Step::rules);
}

void Exchange::advance() noexcept {
  for (Next next = Next::again; next == Next::again;) {
    switch (step_) {
      case Step::read_head: next = read_head(); break;
      case Step::rules: next = rules(); break;
      case Step::tarpit: next = tarpit(); break;
      case Step::choose_server: next = choose_server(); break;
      case Step::connect: next = connect(); break;
      case Step::turn_around: next = turn_around(); break;
      case Step::response_head: next = response_head(); break;
      case Step::response_rules: next = response_rules(); break;
      case Step::relay: next = relay(); break;
      case Step::tunnel: next = tunnel(); break;
      case Step::flush: next = flush(); break;
      case Step::over: next = Next::wait; break;
    }
  }
}

// Where each step may lead. `over` is the end of all: by finish(), from flush alone, or by abandon().
Exchange::Next Exchange::enter(Step step) noexcept {
  constexpr auto bit = [](Step one) { return 1u << static_cast<unsigned>(one); };
  constexpr auto to = [bit](auto... steps) { return (bit(Step::over) | ... | bit(steps)); };
  static constexpr unsigned kLeadsTo[] = {
      to(Step::rules, Step::flush),                                                                // read_head
      to(Step::tarpit, Step::choose_server, Step::flush),                                          // rules
      to(Step::flush),                                                                             // tarpit
      to(Step::connect, Step::flush),                                                              // choose_server
      to(Step::choose_server, Step::turn_around, Step::response_head, Step::tunnel, Step::flush),  // connect
      to(Step::choose_server, Step::flush),                                                        // turn_around
      to(Step::response_rules, Step::flush),                                                       // response_head
      to(Step::relay, Step::tunnel, Step::flush),                                                  // response_rules
      to(Step::flush),                                                                             // relay
      to(Step::flush),                                                                             // tunnel
      to(),                                                                                        // flush
      bit(Step::read_head) | bit(Step::rules),                                                     // over
  };
  static_assert(std::size(kLeadsTo) == static_cast<std::size_t>(Step::over) + 1);
  HAWSER_CHECK((kLeadsTo[static_cast<std::size_t>(step_)] & bit(step)) != 0);
  step_ = step;
  trace_ = trace_ << 4 | static_cast<std::uint64_t>(step);
  step_began_ms_ = core_.now.ms();
  return Next::again;
}

void Exchange::active() noexcept { last_active_ms_ = core_.now.ms(); }

Transport& Exchange::client() const noexcept { return session_->client(); }
const abi::Proxy& Exchange::frontend() const noexcept { return session_->frontend(); }
const abi::Proxy& Exchange::backend() const noexcept { return core_.proxy(static_cast<std::uint32_t>(facts_.backend)); }

abi::ConnectionMode Exchange::connection_mode() const noexcept {
  const abi::ConnectionMode mode = frontend().connection_mode;
  return has_backend() ? std::max(mode, backend().connection_mode) : mode;
}

void Exchange::on_link_connected(int error) noexcept {
  if (error == 0 || http_) active();  // else only the client's time goes on
  if (step_ != Step::connect) return;
  if (error != 0) {
    connect_failed(false);
  } else {
    connected();
  }
  session_->drive();
}

void Exchange::on_client_received() noexcept {
  active();
  look_again();
}

// Data has come for which rules may wait.
void Exchange::look_again() noexcept {
  if (!needs_data_ || !suspended_) return;
  suspended_ = false;
  core_.forget(*this);
}

void Exchange::on_link_received() noexcept {
  active();
  look_again();
  link_->transport().balance(core_.buffer_bytes());
  session_->drive();
}

void Exchange::on_link_sent() noexcept {
  active();
  session_->drive();
}

void Exchange::resume() noexcept {
  suspended_ = false;
  session_->drive();
}

// Every deadline is a function of the state, so that nothing is armed or moved by a mere event.
std::uint64_t Exchange::deadline_ms() const noexcept {
  if (suspended_ && step_ != Step::tunnel) return wake_ms_ == 0 ? kNever : wake_ms_;
  const abi::Timeouts& front = frontend().timeouts;
  const std::uint64_t client_at = after(last_active_ms_, front.client);
  switch (step_) {
    case Step::read_head: {
      const std::uint64_t since = facts_.began.monotonic_us / 1000;
      return after(since, front.http_request != 0 ? front.http_request : front.client);
    }
    case Step::tarpit: return wake_ms_;
    case Step::connect: return after(step_began_ms_, backend().timeouts.connect);
    case Step::turn_around:
      // Of HTTP, the whole request is there.
      return http_ || client().input_ended() ? wake_ms_ : std::min(wake_ms_, client_at);
    case Step::response_head:
      // haproxy 2.6 waits for the server, whatever the client still owes of its body.
      if (backend().timeouts.server != abi::kForever) return after(last_active_ms_, backend().timeouts.server);
      return request_body_.done() ? kNever : client_at;
    case Step::relay: {
      // Whoever is waited for has to move: the server not while the client takes nothing of what is there.
      const bool client_owes = !request_body_.done() || client().unsent() > 0;
      const bool server_owes = !response_body_.done() && !client().output_full(core_.buffer_bytes());
      const std::uint64_t server_at = server_owes ? after(last_active_ms_, backend().timeouts.server) : kNever;
      return client_owes ? std::min(client_at, server_at) : server_at;
    }
    case Step::tunnel: {
      const abi::Timeouts& back = backend().timeouts;
      const std::uint32_t tunnel = back.tunnel;
      const bool half = client().output_finished() || link_->transport().output_finished();
      if (!half && tunnel != 0 && !suspended_) return after(last_active_ms_, tunnel);
      std::uint64_t at = std::min(client_at, after(last_active_ms_, back.server));
      if (client().output_finished()) at = std::min(at, after(last_active_ms_, front.client_fin));
      if (link_->transport().output_finished()) at = std::min(at, after(last_active_ms_, back.server_fin));
      return suspended_ && wake_ms_ != 0 ? std::min(at, wake_ms_) : at;
    }
    case Step::flush: return client_at;
    default: return kNever;
  }
}

void Exchange::on_deadline() noexcept {
  if (suspended_ && (step_ != Step::tunnel || (wake_ms_ != 0 && wake_ms_ <= core_.now.ms()))) {
    suspended_ = false;
    core_.forget(*this);
    return;
  }
  const abi::Timeouts& front = frontend().timeouts;
  const bool client_late = after(last_active_ms_, front.client) <= core_.now.ms();
  switch (step_) {
    case Step::read_head:
      terminate('c', 'R');
      silent_ = null_request() && !frontend().log_null_connections;
      core_.frontend_counters(session_->frontend_index()).request_errors.add();
      reply_early_error(408);
      return;
    case Step::tarpit: return;
    case Step::connect: connect_failed(true); return;
    case Step::turn_around:
      if (wake_ms_ > core_.now.ms()) {
        fail('c', 'C');
        return;
      }
      wake_ms_ = 0;
      enter(Step::choose_server);
      return;
    case Step::response_head:
      if (backend().timeouts.server == abi::kForever) {
        fail('c', 'D');
      } else {
        terminate('s', 'H');
        core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).response_errors.add();
        link_->transport().reset_on_close();
        reply_error(504);
      }
      return;
    case Step::relay: {
      const bool client_owes = client().unsent() > 0 || response_body_.done();
      fail(client_owes ? 'c' : 's', 'D');
      return;
    }
    case Step::tunnel: {
      // A client that has ended its side owes nothing more, unless it does not take what is there.
      const bool client_waits = client().input_ended() || !client().input().empty();  // for a server that takes nothing
      const bool client_owes = !client_waits || client().unsent() > 0;
      const bool client_first = client_owes && (client_late || backend().timeouts.tunnel != 0);
      fail(client_first ? 'c' : 's', 'D');
      return;
    }
    case Step::flush:
      client().reset_on_close();
      keep_client_ = leaves_unread_ = false;
      finish();
      return;
    default: return;
  }
}

void Exchange::terminate(char who, char when) noexcept {
  if (facts_.termination.who != '-') return;  // the first reason counts
  facts_.termination.who = who;
  facts_.termination.when = when;
}

Exchange::Next Exchange::fail(char who, char when) noexcept {
  terminate(who, when);
  if (link_ != nullptr && when == 'D' && who != 'P') link_->transport().reset_on_close();  // as haproxy 2.6 does
  if (!http_ && facts_.connected_us == 0) facts_.bytes_in += client().input().bytes();     // as haproxy 2.6 counts
  part_with_link(false);
  keep_client_ = leaves_unread_ = false;
  client().flush();
  return enter(Step::flush);
}

Exchange::Next Exchange::flush() noexcept {
  if (client().output_error() == 0) {
    if (client().unsent() > 0) return Next::wait;
  } else if (facts_.termination.who == '-') {
    core_.frontend_counters(session_->frontend_index()).client_aborts.add();
    terminate('C', 'D');
  }
  finish();
  return Next::wait;
}

void Exchange::part_with_link(bool reusable) noexcept {
  if (link_ == nullptr) return;
  Link& link = *std::exchange(link_, nullptr);
  core_.server_counters(link.key().proxy, link.key().server).current.add(-1);
  if (reusable && backend().reuse == abi::Reuse::never) return session_->keep_own_link(link);
  link.part(reusable);
}

void Exchange::finish() noexcept {
  HAWSER_CHECK(step_ == Step::flush);
  facts_.ended_us = core_.now.monotonic_us;
  part_with_link(false);
  core_.forget(*this);
  count_end();
  if (!silent_) log();
  count_engines();
  enter(Step::over);
}

void Exchange::abandon() noexcept {
  if (over()) return;
  core_.forget(*this);
  part_with_link(false);
  if (has_backend()) core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).current.add(-1);
  enter(Step::over);
}

}  // namespace hawser::proxy
