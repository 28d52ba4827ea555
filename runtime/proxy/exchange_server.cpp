// The server: choosing one, getting a connection to it, retrying, and sending the request.
#include <algorithm>

#include "runtime/proxy/exchange.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {
namespace {

constexpr std::uint64_t kTurnAroundMsMax = 1'000;  // before the same server is tried again (haproxy 2.6)

}  // namespace

Exchange::Next Exchange::choose_server() noexcept {
  if (!first_server_ && tried_server_ >= 0) return try_server(tried_server_);  // once more, after a turn-around
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  const std::int32_t server = core_.balancer(proxy).pick();
  if (server < 0) return no_server();
  count_choice(static_cast<std::uint32_t>(server));
  return try_server(server);
}

// lbtot and lastsess: at the first choice and at each redispatch, as haproxy counts.
void Exchange::count_choice(std::uint32_t server) noexcept {
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  tables::Counters& counters = core_.server_counters(proxy, server);
  counters.chosen.add();
  counters.last_session_s.raise_to(static_cast<std::int64_t>(core_.now.monotonic_us / 1'000'000));
  core_.backend_counters(proxy).chosen.add();
}

Exchange::Next Exchange::no_server() noexcept {
  terminate('S', 'C');
  return http_ ? reply_error(503) : fail('S', 'C');
}

Exchange::Next Exchange::try_server(std::int32_t server) noexcept {
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  const auto index = static_cast<std::uint32_t>(server);
  const backend::ServerKey key{proxy, index};
  const tables::Installed::ServerRow& row = core_.rows()[proxy].servers[index];
  tables::Counters& counters = core_.server_counters(proxy, index);
  first_server_ = false;
  tried_server_ = server;
  facts_.server = server;
  if (facts_.connect_began_us == 0) facts_.connect_began_us = core_.now.monotonic_us;  // retries count as connecting
  counters.current.add();
  counters.current_max.raise_to(counters.current.get());

  if (reuse_link(key)) {
    counters.total.add();
    enter(Step::connect);
    return connected();
  }
  SocketAddress address = row.address;
  if (!row.plan->port_given && address.family() != AF_UNIX) {
    const int port = session_->facts().local.port() + row.plan->port_offset;
    address = SocketAddress::ip(address.ip(), static_cast<std::uint16_t>(port));
  }
  facts_.server_address = address;
  enter(Step::connect);
  if (address.size > 0) {
    core_.make_room();
    Link& link = core_.make_link();
    if (link.open(key, address, http_ ? &session_->codec() : nullptr, *this) == 0) {
      link_ = &link;
      counters.total.add();  // each try, as haproxy counts, but for those that fail at once
      return Next::wait;
    }
  }
  counters.current.add(-1);
  return connect_failed(false);
}

// As haproxy 2.6: a session's first request may only use what is proven, or anything, by the mode.
bool Exchange::reuse_link(backend::ServerKey key) noexcept {
  if (!http_ || !keep_server_) return false;
  const abi::Reuse mode = backend().reuse;
  Link* link = nullptr;
  if (mode == abi::Reuse::never) {
    link = session_->take_own_link(key);
    if (link == nullptr) return false;
    link->change_user(*this);
    link_ = link;
    link->responses().reset();
    core_.server_counters(key.proxy, key.server).reuses.add();
  } else {
    const bool first = session_->first();
    if (first && mode == abi::Reuse::safe) return false;
    link = static_cast<Link*>(core_.idle->take(key, first && mode == abi::Reuse::aggressive));
    if (link == nullptr) return false;
    link_ = link;
    link->use(*this);
  }
  facts_.reused_connection = true;
  facts_.server_address = link->address();
  return true;
}

// Waits for on_link_connected().
Exchange::Next Exchange::connect() noexcept {
  if (!http_ && client().input_error() != 0) return fail('C', 'C');
  return Next::wait;
}

Exchange::Next Exchange::connected() noexcept {
  facts_.connected_us = core_.now.monotonic_us;
  facts_.server_local = link_->local_address();
  if (!http_) return begin_tunnel();
  link_->responses().answers(request_.method_id, upgrade_);
  if (!settle_request()) {
    terminate('I', 'H');
    return reply_error(500);
  }
  send_request_head();
  pump_request();
  link_->transport().flush();
  return enter(Step::response_head);
}

Exchange::Next Exchange::connect_failed(bool timed_out) noexcept {
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  part_with_link(false);
  if (facts_.retries >= backend().retries) {
    core_.backend_counters(proxy).connect_errors.add();
    core_.server_counters(proxy, static_cast<std::uint32_t>(tried_server_)).connect_errors.add();
    terminate(timed_out ? 's' : 'S', 'C');
    return http_ ? reply_error(503) : fail('S', 'C');
  }
  ++facts_.retries;
  backend::RoundRobin& balancer = core_.balancer(proxy);
  if (backend().redispatch && balancer.usable() > 1) {
    const std::int32_t other = balancer.pick(tried_server_);
    if (other >= 0 && other != tried_server_) {
      facts_.redispatched = true;
      facts_.connect_began_us = 0;  // until now it waited for a server (haproxy 2.6 counts so)
      core_.backend_counters(proxy).redispatches.add();
      core_.server_counters(proxy, static_cast<std::uint32_t>(tried_server_)).redispatches.add();
      tried_server_ = other;
      count_choice(static_cast<std::uint32_t>(other));
      return enter(Step::choose_server);
    }
  }
  core_.backend_counters(proxy).retries.add();
  core_.server_counters(proxy, static_cast<std::uint32_t>(tried_server_)).retries.add();
  if (timed_out) return enter(Step::choose_server);
  if (!http_ && client().input_ended() && client().input().empty()) return enter(Step::flush);  // it wants nothing
  const std::uint32_t connect = backend().timeouts.connect;
  wake_ms_ = core_.now.ms() + std::min<std::uint64_t>(kTurnAroundMsMax, connect == 0 ? kTurnAroundMsMax : connect);
  enter(Step::turn_around);
  return Next::wait;
}

// A TCP client that leaves meanwhile, with nothing to say, ends it (haproxy 2.6 does the same).
Exchange::Next Exchange::turn_around() noexcept {
  if (http_ || !client().input_ended()) return Next::wait;
  if (client().input_error() != 0) return fail('C', 'D');
  return client().input().empty() ? fail('C', 'C') : Next::wait;
}

// Rules may have had the fields of framing; false: nothing sound can be sent.
bool Exchange::settle_request() noexcept {
  if (!ran_native_ && !ran_interpreted_) return true;
  const http::SettledFraming settled = link_->writer().settle_request(request_, arena_, request_body_.framing());
  keep_server_ = keep_server_ && settled.keeps;
  announce_chunked_ = settled.announce_chunked;
  request_body_.reframe(settled.body);
  return !settled.impossible;
}

void Exchange::send_request_head() noexcept {
  http::ConnectionOption option = http::ConnectionOption::none;
  if (!upgrade_ && (request_.method_id != http::Method::connect || request_.version_minor == 0)) {
    const bool chunked = request_body_.framing().kind == http::BodyKind::chunked;
    if (keep_server_ && request_.version_minor == 0 && !chunked) option = http::ConnectionOption::keep_alive;
    if (!keep_server_ && request_.version_minor != 0) option = http::ConnectionOption::close;
  }
  Chunk& head = core_.chunks->begin_writing();
  http::MessageWriter& writer = link_->writer();
  writer.write_request(head.bytes, request_, option, std::exchange(announce_chunked_, false));
  if (request_body_.done()) writer.write_end(head.bytes, request_body_.target(), {});
  link_->transport().queue(ChunkPool::finish(head));
}

void Exchange::pump_request() noexcept {
  if (request_body_.done()) return;
  request_body_.run(client(), link_->transport(), *core_.chunks, core_.buffer_bytes());
  facts_.bytes_in += request_body_.take_moved();
  client().balance(core_.buffer_bytes());
}

}  // namespace hawser::proxy
