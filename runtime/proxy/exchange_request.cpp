// The request: reading its head, the rules over it, the choice of the backend.
#include <algorithm>

#include "runtime/proxy/exchange.h"
#include "runtime/proxy/head_size.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {

namespace {

// A body that begins wrong, in what came with the head, spoils the head (haproxy 2.6 does the same).
http::HeadResult judge_body(const http::HeadResult& result, SliceQueue& input, const http::MessageReader& reader,
                            const http::Head& head) noexcept {
  if (result.body.kind != http::BodyKind::chunked || input.empty()) return result;
  if (reader.is_body_sound(input.front().view())) return result;
  http::HeadResult spoiled;
  spoiled.read = http::Read::malformed;
  spoiled.status = head.status == 0 ? 400 : 502;
  spoiled.error = "a malformed chunk";
  return spoiled;
}

}  // namespace

// Reads a head from what the source has received; from one buffer where it lies in one, else gathered. On complete
// what follows the head is the front of the input.
http::HeadResult Exchange::read_gathered(Transport& source, http::MessageReader& reader, http::Head& head) noexcept {
  const abi::Global& global = core_.plan().global;
  http::HeadLimits limits;
  limits.head_bytes_max = global.buffer_bytes - std::min(global.rewrite_bytes, global.buffer_bytes / 2);
  SliceQueue& input = source.input();
  if (gathered_.empty()) {
    if (input.empty()) return {};
    const http::HeadResult result = reader.read_head(input.front().view(), arena_, head, limits);
    if (result.read == http::Read::complete) {
      input.drop_front(result.consumed);
      return judge_body(result, input, reader, head);
    }
    if (result.read != http::Read::need_more) return result;
  }
  // The first buffer did not hold all of it. Bytes that were looked at stay in front, as the reader wants it.
  while (!input.empty()) {
    gathered_.append(input.front().view());
    input.pop();
    const http::HeadResult result = reader.read_head(gathered_.view(), arena_, head, limits);
    if (result.read == http::Read::need_more) continue;
    if (result.read == http::Read::complete) {
      input.push_front(core_.chunks->copy(gathered_.view().substr(result.consumed)));
      gathered_.clear();
      return judge_body(result, input, reader, head);
    }
    return result;
  }
  return {};
}

Exchange::Next Exchange::read_head() noexcept {
  const http::HeadResult result = read_gathered(client(), session_->requests(), request_);
  switch (result.read) {
    case http::Read::complete: return request_head_complete(result);
    case http::Read::malformed: return malformed_request(result);
    case http::Read::need_more: break;
  }
  if (client().input_ended()) return client_left_early();
  client().receive();
  return Next::wait;
}

// Not a byte of it came.
bool Exchange::null_request() const noexcept {
  return gathered_.empty() && client().input().empty() && !request_known_;
}

Exchange::Next Exchange::client_left_early() noexcept {
  core_.frontend_counters(session_->frontend_index()).request_errors.add();
  terminate('C', 'R');
  silent_ = null_request() && !frontend().log_null_connections;
  return reply_early_error(400);
}

Exchange::Next Exchange::malformed_request(const http::HeadResult& result) noexcept {
  request_.clear();  // what was read of it says nothing
  core_.frontend_counters(session_->frontend_index()).request_errors.add();
  terminate('P', 'R');
  return reply_early_error(result.status == 0 ? 400 : result.status);
}

Exchange::Next Exchange::request_head_complete(const http::HeadResult& result) noexcept {
  request_known_ = true;
  facts_.head_read_us = core_.now.monotonic_us;
  facts_.request_line = request_.start_line;
  facts_.method = request_.method;
  facts_.uri = request_.target;
  facts_.version_minor = request_.version_minor;
  facts_.bytes_in += request_bytes(request_);
  upgrade_ = result.upgrade;
  keep_client_ = result.keep_alive;
  request_body_.begin(result.body, session_->requests(), session_->codec().writer());
  tables::Counters& counters = core_.frontend_counters(session_->frontend_index());
  counters.requests.add();
  return enter(Step::rules);
}

exec::Outcome Exchange::run(std::uint32_t proxy, abi::EntryPoint point) noexcept {
  const exec::Engine& engine = *core_.generation.engine;
  if (!engine.has(proxy, point)) return {};
  subject_.now = core_.now;
  (engine.native() != nullptr ? ran_native_ : ran_interpreted_) = true;
  const exec::Outcome outcome =
      engine.run(engine.entry(proxy, point), core_.context, subject_, frame_, std::exchange(resume_, 0));
  return outcome;
}

bool Exchange::suspended(const exec::Outcome& outcome) noexcept {
  if (outcome.kind != exec::Outcome::Kind::need && outcome.kind != exec::Outcome::Kind::suspend) return false;
  resume_ = frame_.resume;
  wake_ms_ = outcome.deadline_ms;
  suspended_ = true;
  needs_data_ = outcome.kind == exec::Outcome::Kind::need;
  if (wake_ms_ == 0 && !needs_data_) core_.later(*this);
  return true;
}

// The frontend's rules, its choice of the backend, and the backend's rules, each once.
Exchange::Next Exchange::rules() noexcept {
  enum Stage : std::uint8_t { frontend_content, frontend_rules, choice, backend_content, backend_rules, done };
  using Kind = exec::Outcome::Kind;
  if (suspended_) return Next::wait;
  const std::uint32_t frontend = session_->frontend_index();
  for (; stage_ != done; ++stage_) {
    if (stage_ > choice && facts_.backend == static_cast<std::int32_t>(frontend)) continue;
    const std::uint32_t proxy = stage_ > choice ? static_cast<std::uint32_t>(facts_.backend) : frontend;
    const bool of_bytes = stage_ == frontend_content || stage_ == backend_content;
    exec::Outcome outcome;
    if (of_bytes) {
      outcome = inspect_request(proxy);
    } else if (stage_ == choice) {
      frame_.backend = -1;
      if (!http_) subject_.request_bytes = gather(client());
      outcome = run(frontend, abi::EntryPoint::choose_backend);
      subject_.request_bytes = {};
    } else if (http_) {
      outcome = run(proxy, abi::EntryPoint::http_request);
    }
    if (suspended(outcome)) return Next::wait;
    if (outcome.kind == Kind::reply)
      return outcome.action == abi::ActionId::tarpit ? begin_tarpit(outcome) : reply(outcome);
    if (outcome.kind == Kind::close) {
      if (stage_ == frontend_content) forget_request();
      if (stage_ == backend_rules && outcome.action != abi::ActionId::silent_drop)
        core_.backend_counters(proxy).denied_requests.add();
      return close_request(outcome.action);
    }
    if (outcome.kind == Kind::error) {
      terminate('P', 'R');
      return reply_error(500);
    }
    if (stage_ == choice && choose_backend() == Next::wait) {
      facts_.head_read_us = 0;  // %TR is -1 then (haproxy 2.6)
      return no_server();
    }
  }
  return prepare_request();
}

// What the frontend refuses before its HTTP rules has been no request (haproxy 2.6 does the same).
void Exchange::forget_request() noexcept {
  facts_.request_line = facts_.method = facts_.uri = {};
  if (http_) core_.frontend_counters(session_->frontend_index()).requests.add(-1);
}

// Closes without an answer.
Exchange::Next Exchange::close_request(abi::ActionId action) noexcept {
  facts_.head_read_us = 0;
  if (action == abi::ActionId::silent_drop) return drop_client();
  core_.frontend_counters(session_->frontend_index()).denied_requests.add();
  return fail('P', 'R');
}

// Whatever it was about, haproxy 2.6 counts a request.
Exchange::Next Exchange::drop_client() noexcept {
  core_.frontend_counters(session_->frontend_index()).denied_requests.add();
  if (has_backend()) core_.backend_counters(static_cast<std::uint32_t>(facts_.backend)).denied_requests.add();
  client().drop_on_close();
  return fail('P', 'R');
}

// Everything that has come, in one piece that stays at the front of the input.
std::string_view Exchange::gather(Transport& source) noexcept {
  SliceQueue& input = source.input();
  if (input.empty()) return {};
  if (input.count() > 1) {
    Chunk& whole = core_.chunks->begin_writing();
    while (!input.empty()) whole.bytes.append(input.pop().view());
    input.push_front(ChunkPool::finish(whole));
  }
  return input.front().view();
}

// Whether the end of a message's body has come already.
bool Exchange::is_whole(const BodyPump& body, Transport& source) const noexcept {
  if (body.done() || source.input_ended()) return true;
  return body.framing().kind == http::BodyKind::length && source.input().bytes() >= body.framing().length;
}

exec::Outcome Exchange::inspect_request(std::uint32_t proxy) noexcept {
  if (!core_.generation.engine->has(proxy, abi::EntryPoint::content)) return {};
  const bool whole = http_ ? is_whole(request_body_, client()) : client().input_ended();
  if (!http_) subject_.request_bytes = gather(client());
  const exec::Outcome outcome =
      inspect(proxy, abi::EntryPoint::content, core_.proxy(proxy).timeouts.request_inspect, whole || is_full(client()));
  subject_.request_bytes = {};
  if (outcome.kind == exec::Outcome::Kind::need) client().receive();
  return outcome;
}

// As much has come as may come without being taken away.
bool Exchange::is_full(Transport& source) const noexcept {
  const abi::Global& global = core_.plan().global;
  return source.input().bytes() >= global.buffer_bytes - std::min(global.rewrite_bytes, global.buffer_bytes / 2);
}

exec::Outcome Exchange::inspect(std::uint32_t proxy, abi::EntryPoint point, std::uint32_t delay_ms,
                                bool whole) noexcept {
  const bool late = inspect_until_ms_ != 0 && inspect_until_ms_ <= core_.now.ms();
  subject_.final = whole || delay_ms == abi::kForever || late;
  exec::Outcome outcome = run(proxy, point);
  subject_.final = true;
  if (outcome.kind == exec::Outcome::Kind::need) {
    if (inspect_until_ms_ == 0) inspect_until_ms_ = core_.now.ms() + delay_ms;
    outcome.deadline_ms = inspect_until_ms_;
  } else if (outcome.kind != exec::Outcome::Kind::suspend) {
    inspect_until_ms_ = 0;
  }
  return outcome;
}

// The client waits before it is refused.
Exchange::Next Exchange::begin_tarpit(const exec::Outcome& outcome) noexcept {
  const abi::Timeouts& timeouts = has_backend() ? backend().timeouts : frontend().timeouts;
  const std::uint32_t wait = timeouts.tarpit != abi::kForever ? timeouts.tarpit : timeouts.connect;
  answer_ = outcome;
  wake_ms_ = core_.now.ms() + wait;
  return enter(Step::tarpit);
}

Exchange::Next Exchange::tarpit() noexcept {
  if (core_.now.ms() < wake_ms_) return Next::wait;
  wake_ms_ = 0;
  facts_.head_read_us = 0;  // %TR is -1 then, and %Tw the whole time (haproxy 2.6)
  facts_.connect_began_us = core_.now.monotonic_us;
  terminate('P', 'T');
  return reply(answer_);
}

// Next::wait: there is none.
Exchange::Next Exchange::choose_backend() noexcept {
  constexpr std::uint32_t kNone = 0xffff'ffff;
  const abi::Proxy& proxy = frontend();
  std::uint32_t chosen = proxy.default_backend;
  if (chosen == kNone && proxy.is_backend) chosen = session_->frontend_index();
  if (frame_.backend >= 0) chosen = static_cast<std::uint32_t>(frame_.backend);
  if (chosen == kNone) return Next::wait;
  facts_.backend = static_cast<std::int32_t>(chosen);
  tables::Counters& counters = core_.backend_counters(chosen);
  counters.current.add();
  counters.current_max.raise_to(counters.current.get());
  counters.total.add();
  counters.last_session_s.raise_to(static_cast<std::int64_t>(core_.now.monotonic_us / 1'000'000));
  if (http_) counters.requests.add();
  return Next::again;
}

Exchange::Next Exchange::prepare_request() noexcept {
  stage_ = 0;
  if (http_) {
    add_forwarded_for();
    // A backend's mode says nothing of the client's connection (haproxy 2.6).
    keep_client_ = keep_client_ && frontend().connection_mode != abi::ConnectionMode::close;
    keep_server_ = connection_mode() == abi::ConnectionMode::keep_alive;
  }
  return enter(Step::choose_server);
}

namespace {

bool within(const IpAddress& address, const abi::ForwardFor& except) noexcept {
  const std::uint8_t family = address.family == IpAddress::Family::v4 ? 4 : 6;
  if (except.except_family != family) return false;
  for (unsigned bit = 0; bit < except.except_bits; ++bit) {
    const std::uint8_t mask = static_cast<std::uint8_t>(0x80u >> (bit % 8));
    if ((address.bytes[bit / 8] & mask) != (except.except_ip[bit / 8] & mask)) return false;
  }
  return true;
}

}  // namespace

// The backend's option goes before the frontend's (haproxy 2.6 does the same).
void Exchange::add_forwarded_for() noexcept {
  const abi::ForwardFor& option = backend().forward_for.enabled ? backend().forward_for : frontend().forward_for;
  if (!option.enabled) return;
  const IpAddress address = session_->facts().client.ip();
  if (address.family == IpAddress::Family::none || within(address, option)) return;
  const std::string_view name = core_.generation.installed->image().text(option.field);
  const std::string_view field = name.empty() ? "x-forwarded-for" : name;
  if (option.if_none && request_.find(field) != nullptr) return;
  request_.add(arena_, field, address.to_string());
}

}  // namespace hawser::proxy
