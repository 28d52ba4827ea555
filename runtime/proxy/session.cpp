#include "runtime/proxy/session.h"

#include "runtime/base/check.h"
#include "runtime/proxy/exchange.h"
#include "runtime/proxy/listening.h"

namespace hawser::proxy {
namespace {

constexpr std::uint64_t kLingerMs = 1'000;  // for the peer to take our last bytes, when we leave some of its unread
constexpr std::uint64_t kNever = ~std::uint64_t{0};

}  // namespace

Session::Session(Core& core) noexcept : core_(core), client_(core, *this), timer_(*this) {}

void Session::begin(io::Descriptor descriptor, std::uint32_t listener) noexcept {
  const abi::Listener& row = core_.generation.installed->image().rows(core_.plan().listeners)[listener];
  frontend_ = &core_.proxy(row.proxy);
  codec_ = core_.codec;
  client_.adopt(descriptor);
  facts_.accepted = core_.now;
  facts_.frontend = row.proxy;
  facts_.listener = listener;
  facts_.local = client_.local_address();
  facts_.client = client_.peer_address();
  exchanges_ = 0;
  idle_since_us_ = core_.now.monotonic_us;
  step_ = Step::idle;

  previous = nullptr;
  next = core_.sessions;
  if (next != nullptr) next->previous = this;
  core_.sessions = this;
  ++core_.session_count;

  core_.frontend_counters(facts_.frontend).connections.add();
  // What comes before it is a session is closed the hard way (haproxy 2.6 does the same).
  if (!admitted_by(abi::EntryPoint::connection, &tables::Counters::denied_connections)) return close();
  if (!admitted_by(abi::EntryPoint::session, &tables::Counters::denied_sessions)) return close();
  count();

  client_.receive();
  if (frontend_->mode == abi::Mode::tcp) {
    start_exchange();
    return drive();
  }
  if (reader_codec_ != codec_) {
    reader_ = codec_->make_request_reader();
    reader_codec_ = codec_;
  }
  wait_for_request();
}

bool Session::admitted_by(abi::EntryPoint point, tables::Count tables::Counters::*denied) noexcept {
  const exec::Engine& engine = *core_.generation.engine;
  if (!engine.has(facts_.frontend, point)) return true;
  exec::Subject subject;
  subject.installed = core_.generation.installed.get();
  subject.session = &facts_;
  subject.arena = &facts_.arena;
  subject.now = core_.now;
  const abi::Entry& entry = engine.entry(facts_.frontend, point);
  exec::Outcome outcome = engine.run(entry, core_.context, subject, core_.session_frame, 0);
  while (outcome.kind == exec::Outcome::Kind::suspend) {
    outcome = engine.run(entry, core_.context, subject, core_.session_frame, core_.session_frame.resume);
  }
  if (outcome.kind != exec::Outcome::Kind::close) return true;
  (core_.frontend_counters(facts_.frontend).*denied).add();
  if (outcome.action == abi::ActionId::silent_drop) {
    client_.drop_on_close();
  } else if (point == abi::EntryPoint::connection) {
    client_.reset_on_close();
  }
  return false;
}

void Session::count() noexcept {
  counted_ = true;
  tables::Counters& process = core_.process_counters();
  process.current.add();
  process.total.add();
  process.current_max.raise_to(process.current.get());
  tables::Counters& frontend = core_.frontend_counters(facts_.frontend);
  frontend.current.add();
  frontend.current_max.raise_to(frontend.current.get());
  frontend.total.add();
  frontend.last_session_s.raise_to(static_cast<std::int64_t>(core_.now.monotonic_us / 1'000'000));
}

void Session::wait_for_request() noexcept {
  step_ = Step::idle;
  reader_->reset();
  if (exchanges_ > 0 && core_.draining) return close();
  const abi::Timeouts& timeouts = frontend_->timeouts;
  std::uint32_t wait = timeouts.http_request != 0 ? timeouts.http_request : timeouts.client;
  if (exchanges_ > 0 && timeouts.http_keep_alive != 0) wait = timeouts.http_keep_alive;
  set_deadline(wait == 0 ? kNever : core_.now.ms() + wait);
}

void Session::start_exchange() noexcept {
  ++exchanges_;
  step_ = Step::busy;
  exchange_ = &core_.make_exchange(*this);
}

void Session::on_received() noexcept {
  switch (step_) {
    case Step::idle:
      // The first request is logged even when nothing of it comes; later ones, the client may think better of.
      if (!client_.input().empty() || exchanges_ == 0) {
        start_exchange();
        return drive();
      }
      return close();
    case Step::busy:
      client_.balance(core_.buffer_bytes());
      exchange_->on_client_received();
      return drive();
    case Step::lingering:
      client_.input().clear();
      if (client_.input_ended()) close();
      return;
    case Step::closing: return;
  }
}

void Session::on_sent() noexcept {
  if (step_ != Step::busy) return;
  exchange_->on_client_sent();
  drive();
}

void Session::drive() noexcept {
  if (driving_) return;  // the exchange that calls us goes on anyway
  driving_ = true;
  while (exchange_ != nullptr) {
    exchange_->advance();
    if (!exchange_->over()) {
      set_deadline(exchange_->deadline_ms());
      break;
    }
    conclude_exchange();
    if (step_ != Step::idle) break;
    if (client_.input().empty()) {
      client_.receive();
      if (client_.input_ended()) close();
      break;
    }
    start_exchange();
  }
  driving_ = false;
}

void Session::conclude_exchange() noexcept {
  const bool keep = exchange_->keeps_client() && client_.output_error() == 0;
  const bool unread = exchange_->leaves_unread();
  core_.recycle(*std::exchange(exchange_, nullptr));
  idle_since_us_ = core_.now.monotonic_us;
  if (keep) return wait_for_request();
  if (unread && client_.output_error() == 0 && !client_.input_ended()) return linger();
  close();
}

// Closing with bytes unread makes the system reset the connection, and the peer might lose our last words.
void Session::linger() noexcept {
  step_ = Step::lingering;
  client_.input().clear();
  client_.finish_output();
  client_.receive();
  set_deadline(core_.now.ms() + kLingerMs);
}

void Session::on_timer() noexcept {
  const std::uint64_t now = core_.now.ms();
  if (step_ == Step::busy) {
    const std::uint64_t deadline = exchange_->deadline_ms();
    if (deadline > now) return set_deadline(deadline);
    exchange_->on_deadline();
    return drive();
  }
  if (step_ == Step::idle && exchanges_ == 0) {
    start_exchange();
    exchange_->on_deadline();
    return drive();
  }
  if (step_ != Step::closing) close();
}

void Session::set_deadline(std::uint64_t deadline_ms) noexcept {
  if (deadline_ms == kNever) {
    if (timer_.armed()) core_.timers->disarm(timer_);
  } else if (!timer_.armed() || timer_.deadline_ms() != deadline_ms) {
    core_.timers->arm(timer_, deadline_ms);
  }
}

void Session::close() noexcept {
  if (step_ == Step::closing) return;
  step_ = Step::closing;
  drop_own_link();
  if (timer_.armed()) core_.timers->disarm(timer_);
  client_.close();

  (previous != nullptr ? previous->next : core_.sessions) = next;
  if (next != nullptr) next->previous = previous;
  --core_.session_count;
  if (std::exchange(counted_, false)) {
    core_.process_counters().current.add(-1);
    core_.frontend_counters(facts_.frontend).current.add(-1);
  }
  if (core_.listening != nullptr) core_.listening->session_over(facts_.listener);
  core_.leave(*this);
}

// A client that has had no answer yet is about to ask: haproxy waits for it, too.
void Session::drain() noexcept {
  if (step_ == Step::idle && exchanges_ > 0) close();
}

void Session::stop() noexcept {
  if (exchange_ != nullptr) {
    exchange_->abandon();
    core_.recycle(*std::exchange(exchange_, nullptr));
  }
  close();
}

void Session::take_back() noexcept {
  client_.recycle();
  facts_.variables.clear();
  facts_.arena.release();
  core_.recycle(*this);
}

Link* Session::take_own_link(backend::ServerKey key) noexcept {
  if (own_link_ == nullptr) return nullptr;
  if (own_link_->key().value() == key.value()) return std::exchange(own_link_, nullptr);
  drop_own_link();
  return nullptr;
}

void Session::keep_own_link(Link& link) noexcept {
  drop_own_link();
  own_link_ = &link;
  link.change_user(*this);
}

void Session::drop_own_link() noexcept {
  if (own_link_ != nullptr) std::exchange(own_link_, nullptr)->part(false);
}

void Session::on_link_received() noexcept { drop_own_link(); }

}  // namespace hawser::proxy
