// Bytes both ways, without a look at them: TCP mode, and HTTP behind 101 or CONNECT.
#include "runtime/proxy/exchange.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {

Exchange::Next Exchange::begin_tunnel() noexcept {
  keep_client_ = keep_server_ = false;
  client().receive();
  link_->transport().receive();
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

Exchange::Next Exchange::tunnel() noexcept {
  Transport& server = link_->transport();
  const bool request_over = move(client(), server, facts_.bytes_in);
  const bool response_over = move(server, client(), facts_.bytes_out);
  if (client().input_error() != 0 || client().output_error() != 0) return fail('C', 'D');
  if (server.input_error() != 0 || server.output_error() != 0) return fail('S', 'D');
  if (!request_over || !response_over) return Next::wait;
  part_with_link(false);
  return enter(Step::flush);
}

}  // namespace hawser::proxy
