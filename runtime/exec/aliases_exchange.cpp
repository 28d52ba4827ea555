// Log aliases: dates, timers, and what an exchange was (manual, 8.2.4 and 8.4).
#include <algorithm>

#include "runtime/exec/dates.h"
#include "runtime/exec/evaluation.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/formats.h"

namespace hawser::exec {
namespace {

using kernels::append_number;
using kernels::append_value;

// Milliseconds since this exchange could begin; -1 for what was not reached. Timers are differences of these whole
// milliseconds, so that they add up (haproxy does the same).
class Timers {
 public:
  explicit Timers(const Subject& subject) noexcept
      : facts_(subject.exchange == nullptr ? kNothing : *subject.exchange),
        idle_since_(facts_.idle_since_us),
        ended_(since(facts_.ended_us != 0 ? facts_.ended_us : std::max(subject.now.monotonic_us, idle_since_))) {
    const SessionFacts* session = subject.session;
    // Handshakes belong to the first exchange of a session.
    if (session != nullptr && idle_since_ <= session->accepted.monotonic_us +
                                                 static_cast<std::uint64_t>(session->handshake_ms) * 1000 + 999) {
      handshake_ = session->handshake_ms;
    }
  }

  std::int64_t handshake() const noexcept { return handshake_; }
  std::int64_t idle() const noexcept { return since(facts_.began.monotonic_us); }
  std::int64_t request() const noexcept { return between(facts_.began.monotonic_us, facts_.head_read_us); }
  std::int64_t until_request() const noexcept { return request() < 0 ? -1 : handshake_ + idle() + request(); }
  std::int64_t queue() const noexcept {
    const std::uint64_t ready = facts_.head_read_us != 0 ? facts_.head_read_us : idle_since_;
    return between(ready, facts_.connect_began_us);
  }
  std::int64_t connect() const noexcept {
    return between(facts_.connect_began_us != 0 ? facts_.connect_began_us : facts_.connected_us, facts_.connected_us);
  }
  std::int64_t response() const noexcept { return between(facts_.connected_us, facts_.response_head_us); }
  // Of TCP, since the connection.
  std::int64_t data() const noexcept {
    const std::uint64_t from =
        facts_.response_head_us != 0 || facts_.head_read_us != 0 ? facts_.response_head_us : facts_.connected_us;
    return from == 0 ? -1 : ended_ - since(from);
  }
  std::int64_t active() const noexcept { return facts_.began.monotonic_us == 0 ? ended_ : ended_ - idle(); }
  std::int64_t total() const noexcept { return handshake_ + ended_; }
  std::int64_t user() const noexcept { return total() - std::max<std::int64_t>(idle(), 0); }

 private:
  static const ExchangeFacts kNothing;

  std::int64_t since(std::uint64_t us) const noexcept {
    if (us == 0) return -1;
    return us <= idle_since_ ? 0 : static_cast<std::int64_t>((us - idle_since_) / 1000);
  }
  std::int64_t between(std::uint64_t from, std::uint64_t to) const noexcept {
    return from == 0 || to == 0 ? -1 : std::max<std::int64_t>(since(to) - since(from), 0);
  }

  const ExchangeFacts& facts_;
  std::uint64_t idle_since_;
  std::int64_t ended_;
  std::int64_t handshake_ = 0;
};
const ExchangeFacts Timers::kNothing;

void timer(AliasCall& call, std::int64_t (Timers::*which)() const noexcept) {
  append_number(call.text, (Timers(call.subject).*which)(), 0);
}

// The end of the exchange before, or the accept.
std::int64_t accept_date(const Subject& subject) noexcept {
  if (subject.session == nullptr) return subject.now.wall_us;
  const io::Now& accepted = subject.session->accepted;
  if (subject.exchange == nullptr || subject.exchange->idle_since_us <= accepted.monotonic_us) return accepted.wall_us;
  const auto later = static_cast<std::int64_t>(subject.exchange->idle_since_us - accepted.monotonic_us);
  return accepted.wall_us + later - Timers(subject).handshake() * 1000;
}
std::int64_t request_date(const Subject& subject) noexcept {
  const ExchangeFacts* exchange = subject.exchange;
  return exchange == nullptr || exchange->began.wall_us == 0 ? accept_date(subject) : exchange->began.wall_us;
}

// A part of the request line, or what stands for one that could not be read.
void append_request(AliasCall& call, std::string_view part, std::string_view more = {}) {
  const bool quote = (call.flags & abi::format_quote) != 0;
  if (quote) call.text += '"';
  if (call.subject.exchange == nullptr || call.subject.exchange->request_line.empty()) {
    call.text += "<BADREQ>";
  } else {
    kernels::append_uri(call.text, part, call.flags);
    kernels::append_uri(call.text, more, call.flags);
  }
  if (quote) call.text += '"';
}

std::string_view uri(const AliasCall& call) noexcept {
  return call.subject.exchange == nullptr ? std::string_view() : call.subject.exchange->uri;
}
std::string_view without_query(std::string_view uri) noexcept { return uri.substr(0, uri.find('?')); }

}  // namespace

void alias_t(AliasCall& call) noexcept { append_local_ms(call.text, call.worker.accepted, accept_date(call.subject)); }
void alias_T(AliasCall& call) noexcept { append_universal(call.text, call.worker.accepted, accept_date(call.subject)); }
void alias_Tl(AliasCall& call) noexcept { append_local(call.text, call.worker.accepted, accept_date(call.subject)); }
void alias_Ts(AliasCall& call) noexcept { append_number(call.text, accept_date(call.subject) / 1'000'000, call.flags); }
void alias_ms(AliasCall& call) noexcept {
  const std::int64_t ms = accept_date(call.subject) / 1000 % 1000;
  if ((call.flags & abi::format_hex) != 0) {
    append_number(call.text, ms, call.flags, 2);
    return;
  }
  if (ms < 100) call.text += '0';
  if (ms < 10) call.text += '0';
  append_number(call.text, ms, 0);
}
void alias_tr(AliasCall& call) noexcept {
  append_local_ms(call.text, call.worker.requested, request_date(call.subject));
}
void alias_trg(AliasCall& call) noexcept {
  append_universal(call.text, call.worker.requested, request_date(call.subject));
}
void alias_trl(AliasCall& call) noexcept { append_local(call.text, call.worker.requested, request_date(call.subject)); }

void alias_Ta(AliasCall& call) noexcept { timer(call, &Timers::active); }
void alias_Tc(AliasCall& call) noexcept { timer(call, &Timers::connect); }
void alias_Td(AliasCall& call) noexcept { timer(call, &Timers::data); }
void alias_Th(AliasCall& call) noexcept { timer(call, &Timers::handshake); }
void alias_Ti(AliasCall& call) noexcept { timer(call, &Timers::idle); }
void alias_Tq(AliasCall& call) noexcept { timer(call, &Timers::until_request); }
void alias_TR(AliasCall& call) noexcept { timer(call, &Timers::request); }
void alias_Tr(AliasCall& call) noexcept { timer(call, &Timers::response); }
void alias_Tt(AliasCall& call) noexcept { timer(call, &Timers::total); }
void alias_Tu(AliasCall& call) noexcept { timer(call, &Timers::user); }
void alias_Tw(AliasCall& call) noexcept { timer(call, &Timers::queue); }

void alias_B(AliasCall& call) noexcept {
  append_number(call.text,
                call.subject.exchange == nullptr ? 0 : static_cast<std::int64_t>(call.subject.exchange->bytes_out), 0);
}
void alias_U(AliasCall& call) noexcept {
  append_number(call.text,
                call.subject.exchange == nullptr ? 0 : static_cast<std::int64_t>(call.subject.exchange->bytes_in), 0);
}
void alias_rc(AliasCall& call) noexcept {
  if (call.subject.exchange == nullptr) {
    call.text += '0';
    return;
  }
  if (call.subject.exchange->redispatched) call.text += '+';
  append_number(call.text, call.subject.exchange->retries, 0);
}
void alias_rt(AliasCall& call) noexcept {
  append_number(call.text,
                call.subject.exchange == nullptr ? 0 : static_cast<std::int64_t>(call.subject.exchange->number),
                call.flags);
}
// Without a response, -1 in HTTP and 0 in TCP.
void alias_ST(AliasCall& call) noexcept {
  const Subject& subject = call.subject;
  std::int64_t status = subject.exchange == nullptr ? 0 : subject.exchange->status;
  if (status == 0 && subject.session != nullptr && subject.installed != nullptr) {
    const auto& proxies = subject.installed->proxies();
    const std::uint32_t frontend = subject.session->frontend;
    if (frontend < proxies.size() && proxies[frontend].plan->mode == abi::Mode::http) status = -1;
  }
  append_number(call.text, status, 0);
}
void alias_bq(AliasCall& call) noexcept {
  append_number(call.text, call.subject.exchange == nullptr ? 0 : call.subject.exchange->backend_queue, 0);
}
void alias_sq(AliasCall& call) noexcept {
  append_number(call.text, call.subject.exchange == nullptr ? 0 : call.subject.exchange->server_queue, 0);
}
void alias_ts(AliasCall& call) noexcept {
  const Termination end = call.subject.exchange == nullptr ? Termination() : call.subject.exchange->termination;
  const char both[] = {end.who, end.when};
  call.text.append(both, sizeof both);
}
void alias_tsc(AliasCall& call) noexcept {
  const Termination end = call.subject.exchange == nullptr ? Termination() : call.subject.exchange->termination;
  const char all[] = {end.who, end.when, end.cookie_in, end.cookie_out};
  call.text.append(all, sizeof all);
}

void alias_r(AliasCall& call) noexcept {
  append_request(call, call.subject.exchange == nullptr ? std::string_view() : call.subject.exchange->request_line);
}
void alias_HM(AliasCall& call) noexcept {
  append_request(call, call.subject.exchange == nullptr ? std::string_view() : call.subject.exchange->method);
}
void alias_HV(AliasCall& call) noexcept {
  const std::uint8_t minor = call.subject.exchange == nullptr ? 1 : call.subject.exchange->version_minor;
  append_request(call, "HTTP/1.", minor == 0 ? "0" : "1");
}
void alias_HU(AliasCall& call) noexcept { append_request(call, uri(call)); }
void alias_HP(AliasCall& call) noexcept { append_request(call, without_query(uri(call))); }
void alias_HPO(AliasCall& call) noexcept {
  std::string_view path = without_query(uri(call));
  if (const std::size_t scheme = path.find("://"); scheme != std::string_view::npos && path.front() != '/') {
    const std::size_t slash = path.find('/', scheme + 3);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  }
  if (!path.starts_with('/')) path = {};  // "*", or an authority
  append_request(call, path);
}
void alias_HQ(AliasCall& call) noexcept {
  const std::string_view all = uri(call);
  const std::size_t query = all.find('?');
  append_request(call, query == std::string_view::npos ? std::string_view() : all.substr(query));
}

// Nothing is captured: no configuration that asks for it is accepted.
void alias_CC(AliasCall& call) noexcept { append_value(call.text, "", call.flags); }
void alias_CS(AliasCall& call) noexcept { append_value(call.text, "", call.flags); }
void alias_hr(AliasCall&) noexcept {}
void alias_hs(AliasCall&) noexcept {}
void alias_hrl(AliasCall&) noexcept {}
void alias_hsl(AliasCall&) noexcept {}

}  // namespace hawser::exec
