// Bytes both ways, without a look at them: TCP mode, and HTTP behind 101 or CONNECT.
#include "runtime/proxy/exchange.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {

Exchange::Next Exchange::begin_tunnel() noexcept {
  keep_client_ = keep_server_ = false;
  client().receive();
  link_->transport().receive();
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  inspecting_response_ = !http_ && core_.generation.engine->has(proxy, abi::EntryPoint::tcp_response);
  return enter(Step::tunnel);
}

// One direction. True when it is over: the source ended and all was sent.
bool Exchange::move(Transport& source, Transport& target, std::uint64_t& moved) noexcept {
  const std::size_t unsent_max = core_.buffer_bytes();
  SliceQueue& input = source.input();
  while (!input.empty() && !target.output_full(unsent_max)) {
    Slice slice = input.pop();
    moved += slice.size();
    target.queue(std::move(slice));
  }
  target.flush();
  source.balance(unsent_max);
  if (!source.input_ended() || !input.empty()) return false;
  target.finish_output();
  return target.unsent() == 0;
}

// The rules over what the server has sent: false when they end it all.
bool Exchange::inspect_response() noexcept {
  using Kind = exec::Outcome::Kind;
  if (suspended_) return true;
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  Transport& server = link_->transport();
  subject_.response_bytes = gather(server);
  const exec::Outcome outcome = inspect(proxy, abi::EntryPoint::tcp_response, backend().timeouts.response_inspect,
                                        server.input_ended() || is_full(server));
  subject_.response_bytes = {};
  if (suspended(outcome)) return true;
  inspecting_response_ = false;
  if (outcome.kind != Kind::close) return true;
  if (outcome.action == abi::ActionId::close) {
    end_behind_response();
  } else {
    facts_.bytes_out += server.input().bytes();  // haproxy 2.6 counts what the client does not get
    refuse_response(outcome.action);
  }
  return false;
}

// The client gets what the server has sent so far, and no more.
void Exchange::end_behind_response() noexcept {
  SliceQueue& input = link_->transport().input();
  facts_.bytes_out += input.bytes();
  while (!input.empty()) client().queue(input.pop());
  client().flush();
  part_with_link(false);
  enter(Step::flush);
}

// Of HTTP the rules see the head, but only if they wait: without a delay they have been over before there was one (haproxy 2.6
// does the same).
exec::Outcome Exchange::inspect_response_head(std::uint32_t proxy) noexcept {
  if (!core_.generation.engine->has(proxy, abi::EntryPoint::tcp_response)) return {};
  const std::uint32_t delay = core_.proxy(proxy).timeouts.response_inspect;
  Transport& server = link_->transport();
  if (delay == abi::kForever) subject_.response = nullptr;
  const exec::Outcome outcome =
      inspect(proxy, abi::EntryPoint::tcp_response, delay, is_whole(response_body_, server) || is_full(server));
  subject_.response = &response_;
  return outcome;
}

Exchange::Next Exchange::refuse_response(abi::ActionId action) noexcept {
  if (action == abi::ActionId::silent_drop) return drop_client();
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  core_.frontend_counters(session_->frontend_index()).denied_responses.add();
  core_.backend_counters(proxy).denied_responses.add();
  core_.server_counters(proxy, link_->key().server).denied_responses.add();
  return fail('P', 'D');
}

Exchange::Next Exchange::tunnel() noexcept {
  Transport& server = link_->transport();
  if (inspecting_response_ && !inspect_response()) return Next::again;
  const bool request_over = move(client(), server, facts_.bytes_in);
  const bool response_over = !inspecting_response_ && move(server, client(), facts_.bytes_out);
  if (client().input_error() != 0 || client().output_error() != 0) return fail('C', 'D');
  if (server.input_error() != 0 || server.output_error() != 0) return fail('S', 'D');
  if (!request_over || !response_over) return Next::wait;
  part_with_link(false);
  return enter(Step::flush);
}

}  // namespace hawser::proxy
