// The response: its head, the rules over it, and the bodies of both directions, which flow side by side.
#include "runtime/proxy/exchange.h"
#include "runtime/proxy/head_size.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {

// The request's body flows on meanwhile; the server may answer before it is over.
Exchange::Next Exchange::response_head() noexcept {
  Transport& server = link_->transport();
  const http::HeadResult result = read_gathered(server, link_->responses(), response_);
  switch (result.read) {
    case http::Read::complete: return response_head_complete(result);
    case http::Read::malformed:
      terminate('P', 'H');
      core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).response_errors.add();
      core_.server_counters(link_->key().proxy, link_->key().server).response_errors.add();
      // haproxy 2.6 counts a 101 that nobody asked for, which it does not pass on.
      if (result.consumed > 0) facts_.bytes_out += response_bytes(response_);
      return reply_error(502);
    case http::Read::need_more: break;
  }
  if (server.input_ended()) return server_left_early();
  server.receive();
  if (!request_body_.done()) {
    pump_request();
    server.flush();
    if (request_body_.malformed()) {
      terminate('P', 'H');
      core_.frontend_counters(session_->frontend_index()).request_errors.add();
      return reply_error(400);
    }
    if (client().input_ended() && client().input().empty() && !request_body_.done()) {
      core_.frontend_counters(session_->frontend_index()).client_aborts.add();
      return client().input_error() != 0 ? fail('C', 'D') : fail('C', 'L');
    }
  }
  if (client().output_error() != 0) return fail('C', 'H');
  return Next::wait;
}

Exchange::Next Exchange::server_left_early() noexcept {
  // A kept connection that the server closed just now: the client, whose connection was kept as well, sees the same
  // and decides for itself whether to try again (haproxy 2.6 does the same).
  if (facts_.reused_connection && gathered_.empty() && !response_begun_ && !session_->first()) {
    silent_ = true;
    keep_client_ = false;
    part_with_link(false);
    return enter(Step::flush);
  }
  // The system tells of a reset once, to the receive or to the send.
  const Transport& server = link_->transport();
  const bool broke = server.input_error() != 0 || server.output_error() != 0;
  if (broke && !request_body_.done()) return server_took_no_more();
  terminate('S', 'H');
  core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).response_errors.add();
  core_.server_counters(link_->key().proxy, link_->key().server).response_errors.add();
  return reply_error(502);
}

// Its connection broke before it had the whole request: the client gets what there is of an answer, were it nothing
// (haproxy 2.6 does the same).
Exchange::Next Exchange::server_took_no_more() noexcept {
  core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).server_aborts.add();
  core_.server_counters(link_->key().proxy, link_->key().server).server_aborts.add();
  fail('S', 'D');
  leaves_unread_ = true;
  return Next::again;
}

Exchange::Next Exchange::response_head_complete(const http::HeadResult& result) noexcept {
  if (response_.status < 200 && !result.upgrade) return interim_response(result);
  facts_.response_head_us = core_.now.monotonic_us;
  facts_.status = response_.status;
  facts_.bytes_out += received_response_bytes(response_);  // as the server sent it, before the rules
  keep_server_ = keep_server_ && result.keep_alive;
  response_body_.begin(result.body, link_->responses(), session_->codec().writer());
  if (response_.version_minor == 0 && result.body.kind == http::BodyKind::chunked) keep_client_ = keep_server_ = false;
  stage_ = 0;
  req_variables_.clear();  // they live as long as the request's rules
  return enter(Step::response_rules);
}

Exchange::Next Exchange::interim_response(const http::HeadResult& result) noexcept {
  keep_server_ = keep_server_ && result.keep_alive;
  Chunk& head = core_.chunks->begin_writing();
  session_->codec().writer().write_response(head.bytes, response_, http::ConnectionOption::none, false);
  client().queue(ChunkPool::finish(head));
  client().flush();
  facts_.bytes_out += response_bytes(response_);
  response_begun_ = true;
  return Next::again;
}

// The backend's rules, then the frontend's.
Exchange::Next Exchange::response_rules() noexcept {
  using Kind = exec::Outcome::Kind;
  if (suspended_) return Next::wait;
  const std::uint32_t frontend = session_->frontend_index();
  const auto backend = static_cast<std::uint32_t>(facts_.backend);
  enum Stage : std::uint8_t { backend_content, backend_rules, frontend_rules, done };
  for (; stage_ != done; ++stage_) {
    if (stage_ == frontend_rules && backend == frontend) continue;
    const exec::Outcome outcome =
        stage_ == backend_content ? inspect_response_head(backend)
                                  : run(stage_ == backend_rules ? backend : frontend, abi::EntryPoint::http_response);
    if (suspended(outcome)) return Next::wait;
    if (outcome.kind == Kind::reply) return reply(outcome);
    if (outcome.kind == Kind::close && outcome.action == abi::ActionId::close) {
      keep_server_ = false;
    } else if (outcome.kind == Kind::close) {
      facts_.response_head_us = 0;
      return refuse_response(outcome.action);
    }
    if (outcome.kind == Kind::error) {
      withdraw_response();
      terminate('P', 'H');
      return reply_error(500);
    }
  }
  const http::BodyKind kind = response_body_.framing().kind;
  if (kind == http::BodyKind::until_close || kind == http::BodyKind::tunnel) keep_client_ = false;
  if (!settle_response()) return fail('C', 'D');  // haproxy 2.6 says so
  send_response_head();
  if (kind == http::BodyKind::tunnel) return begin_tunnel();
  return enter(Step::relay);
}

// The client gets another; what came of this one counts all the same (haproxy 2.6 does the same).
void Exchange::withdraw_response() noexcept {
  response_body_.discard(link_->transport());
  facts_.bytes_out += response_body_.take_moved();
  facts_.response_head_us = 0;
}

// As settle_request(). Nothing of a response that cannot be sent soundly goes out.
bool Exchange::settle_response() noexcept {
  if (!ran_native_ && !ran_interpreted_) return true;
  const http::SettledFraming settled =
      session_->codec().writer().settle_response(response_, arena_, response_body_.framing());
  keep_client_ = keep_client_ && settled.keeps;
  announce_chunked_ = settled.announce_chunked;
  response_body_.reframe(settled.body);
  if (!settled.impossible) return true;
  response_body_.discard(link_->transport());
  facts_.bytes_out += response_body_.take_moved();
  return false;
}

void Exchange::send_response_head() noexcept {
  keep_client_ = keep_client_ && !core_.draining;
  http::ConnectionOption option = http::ConnectionOption::none;
  if (response_body_.framing().kind != http::BodyKind::tunnel) {
    if (keep_client_) {
      if (request_.version_minor == 0 || response_.version_minor == 0) option = http::ConnectionOption::keep_alive;
    } else if (response_.version_minor != 0) {
      option = http::ConnectionOption::close;
    }
  }
  Chunk& head = core_.chunks->begin_writing();
  http::MessageWriter& writer = session_->codec().writer();
  writer.write_response(head.bytes, response_, option, std::exchange(announce_chunked_, false));
  if (response_body_.done()) writer.write_end(head.bytes, response_body_.target(), {});
  client().queue(ChunkPool::finish(head));
  response_begun_ = true;
}

Exchange::Next Exchange::relay() noexcept {
  Transport& server = link_->transport();
  pump_request();
  response_body_.run(server, client(), *core_.chunks, core_.buffer_bytes());
  facts_.bytes_out += response_body_.take_moved();
  if (response_body_.malformed()) return fail('S', 'D');
  if (request_body_.malformed()) return fail('P', 'D');
  if (client().output_error() != 0) {
    core_.frontend_counters(session_->frontend_index()).client_aborts.add();
    return fail('C', 'D');
  }
  if (!response_body_.done() && server.input_ended() && server.input().empty() &&
      (server.input_error() != 0 || !response_body_.end_of_stream(client(), *core_.chunks))) {
    core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).server_aborts.add();
    core_.server_counters(link_->key().proxy, link_->key().server).server_aborts.add();
    return fail('S', 'D');
  }
  client().flush();
  server.flush();
  if (!response_body_.done()) {
    server.balance(core_.buffer_bytes());
    return Next::wait;
  }
  if (!request_body_.done()) {
    if (client().input_ended() && client().input().empty()) return fail('C', 'D');
    // Only a send tells whether the server still takes the rest (haproxy 2.6 does the same).
    if (server.output_error() == 0) return Next::wait;
    return server_took_no_more();
  }
  if (response_body_.fell_short()) keep_client_ = false;
  if (request_body_.fell_short()) keep_server_ = false;
  if (server.unsent() > 0 && server.output_error() == 0) return Next::wait;
  // A server that says more than was asked is not asked again.
  part_with_link(keep_server_ && request_body_.done() && server.input().empty());
  return enter(Step::flush);
}

}  // namespace hawser::proxy
