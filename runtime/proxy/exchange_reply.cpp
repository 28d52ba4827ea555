// Answers of our own: what rules ask for, error pages, redirections.
#include <fmt/format.h>

#include "runtime/proxy/built_in_errors.h"
#include "runtime/proxy/exchange.h"
#include "runtime/proxy/head_size.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {

using abi::ActionId;

Exchange::Next Exchange::reply(const exec::Outcome& outcome) noexcept {
  const bool of_response = step_ == Step::response_rules;
  const bool denied = outcome.action == ActionId::deny || outcome.action == ActionId::tarpit;
  if (of_response) withdraw_response();
  tables::Counters& front = core_.frontend_counters(session_->frontend_index());
  if (denied) {
    terminate('P', of_response ? 'H' : 'R');
    (of_response ? front.denied_responses : front.denied_requests).add();
    if (has_backend()) {
      tables::Counters& back = core_.backend_counters(static_cast<std::uint32_t>(facts_.backend));
      (of_response ? back.denied_responses : back.denied_requests).add();
    }
  } else {
    terminate('L', of_response ? 'H' : 'R');
    front.intercepted.add();
  }
  if (outcome.redirect) return reply_redirect(outcome);
  const abi::Reply& row = core_.generation.installed->image().rows(core_.plan().replies)[outcome.index];
  if (row.error_page) return reply_error(row.status);
  return reply_row(outcome.index);
}

Exchange::Next Exchange::reply_redirect(const exec::Outcome& outcome) noexcept {
  const abi::ImageView image = core_.generation.program_image.view();
  const abi::Redirect& row = image.rows(core_.generation.engine->program().redirects)[outcome.index];
  begin_reply(row.code, row.code == 302 ? "Found" : reason_phrase(row.code));
  response_.add(arena_, "content-length", "0");
  response_.add(arena_, "location", frame_.location);
  if (row.code == 302 || row.code == 303 || row.code == 307) response_.add(arena_, "cache-control", "no-cache");
  if (row.set_cookie.size > 0) {
    const std::string_view cookie = image.text(row.set_cookie);
    response_.add(arena_, "set-cookie", fmt::format("{}; path=/;{}", cookie, row.clear_cookie ? " Max-Age=0;" : ""));
  }
  if (!request_body_.done()) {  // haproxy 2.6 does the same, however short the body, and counts what it says
    keep_client_ = false;
    facts_.bytes_out += std::string_view("connectionclose").size();
  }
  return send_reply({});
}

Exchange::Next Exchange::reply_row(std::uint32_t index) noexcept {
  const abi::ImageView image = core_.generation.installed->image();
  const abi::Reply& row = image.rows(core_.plan().replies)[index];
  if (row.silent) {
    leaves_unread_ = false;
    part_with_link(false);
    keep_client_ = false;
    facts_.status = row.status;
    return enter(Step::flush);
  }
  if (row.raw) {
    const RawReply* raw = core_.raw_replies.read(index, image.text(row.body));
    return raw != nullptr ? send_raw_reply(*raw) : reply_error(500);
  }
  begin_reply(row.status, reason_phrase(row.status));
  const std::span<const abi::Text> names = image.rows(row.field_names);
  for (std::size_t i = 0; i < names.size() && i < frame_.field_values.size(); ++i) {
    // haproxy 2.6 leaves out a field whose format came to nothing.
    if (frame_.field_values[i].empty()) continue;
    response_.add(arena_, image.text(names[i]), frame_.field_values[i]);
  }
  const std::string_view body = row.computed ? frame_.body : image.text(row.body);
  if (row.status == 204) {
    // haproxy takes the length out when it writes the head, and has counted it before.
    facts_.bytes_out += std::string_view("content-length0").size();
  } else {
    response_.add(arena_, "content-length", fmt::format_int(body.size()).c_str());
    // A format that came to nothing has no type either (haproxy 2.6 does the same).
    if (row.status != 304 && row.content_type.size > 0 && !body.empty()) {
      response_.add(arena_, "content-type", image.text(row.content_type));
    }
  }
  return send_reply(body);
}

// An error file of the backend, else of the frontend.
const abi::Reply* Exchange::error_reply(std::uint16_t status) const noexcept {
  const int slot = error_slot(status);
  if (slot < 0) return nullptr;
  std::uint32_t row = has_backend() ? backend().errors[slot] : 0;
  if (row == 0) row = frontend().errors[slot];
  if (row == 0) return nullptr;
  return &core_.generation.installed->image().rows(core_.plan().replies)[row - 1];
}

Exchange::Next Exchange::reply_error(std::uint16_t status) noexcept {
  if (const abi::Reply* row = error_reply(status)) {
    const auto rows = core_.generation.installed->image().rows(core_.plan().replies);
    const Next next = reply_row(static_cast<std::uint32_t>(row - rows.data()));
    facts_.status = status;  // logs tell the error, whatever the page says (haproxy 2.6 does the same)
    return next;
  }
  const BuiltInError& error = built_in_error(status);
  begin_reply(error.status, error.reason);
  response_.add(arena_, "content-length", fmt::format_int(error.body.size()).c_str());
  response_.add(arena_, "cache-control", "no-cache");
  response_.add(arena_, "content-type", "text/html");
  if (error.status == 400 || error.status == 408) {
    keep_client_ = false;
    facts_.bytes_out += std::string_view("connectionclose").size();  // part of the page, so haproxy counts it
  }
  return send_reply(error.body);
}

// For a client whose request could not be read: the page as it stands in the file, haproxy's own in its own spelling. It
// counts as nothing sent (haproxy 2.6 does the same).
Exchange::Next Exchange::reply_early_error(std::uint16_t status) noexcept {
  facts_.status = status;
  keep_client_ = false;
  leaves_unread_ = true;
  const abi::Reply* row = error_reply(status);
  if (row != nullptr && row->silent) return enter(Step::flush);
  if (row != nullptr && row->raw) {
    client().queue(Slice::constant(core_.generation.installed->image().text(row->body)));
  } else {
    const BuiltInError& error = built_in_error(status);
    const bool close = status == 400 || status == 408;
    client().queue(core_.chunks->copy(fmt::format(
        "HTTP/1.1 {} {}\r\nContent-length: {}\r\nCache-Control: no-cache\r\n{}Content-Type: text/html\r\n\r\n{}",
        status, error.reason, error.body.size(), close ? "Connection: close\r\n" : "", error.body)));
  }
  client().flush();
  return enter(Step::flush);
}

void Exchange::begin_reply(std::uint16_t status, std::string_view reason) noexcept {
  part_with_link(false);
  response_.clear();
  response_.status = status;
  response_.reason = reason;
  response_.version_minor = 1;
}

// An error file: a whole HTTP/1 reply, whatever the client speaks.
Exchange::Next Exchange::send_raw_reply(const RawReply& raw) noexcept {
  begin_reply(raw.head.status, {});
  response_ = raw.head;
  // A page without a length ends with the connection, as those that Debian ships do.
  const http::HeadResult& result = raw.result;
  if (result.close_asked || result.body.kind == http::BodyKind::until_close) keep_client_ = false;
  // haproxy counts the option as it stands in the file.
  if (result.close_asked) facts_.bytes_out += std::string_view("connectionclose").size();
  if (response_.version_minor == 0 && result.keep_alive) {
    facts_.bytes_out += std::string_view("connectionkeep-alive").size();
  }
  return send_reply(raw.body);
}

// `body` lives as long as the exchange.
Exchange::Next Exchange::send_reply(std::string_view body) noexcept {
  facts_.status = response_.status;
  if (request_known_ && !request_body_.done()) {
    request_body_.discard(client());
    facts_.bytes_in += request_body_.take_moved();
    if (!request_body_.done()) {
      keep_client_ = false;
      leaves_unread_ = true;
    }
  }
  keep_client_ = keep_client_ && !core_.draining && frontend().connection_mode != abi::ConnectionMode::close;
  response_body_.reset();
  response_body_.begin({}, session_->requests(), session_->codec().writer());
  facts_.bytes_out += response_bytes(response_);
  send_response_head();
  if (request_.method_id != http::Method::head && !body.empty()) {
    client().queue(core_.chunks->copy(body));
    facts_.bytes_out += body.size();
  }
  client().flush();
  return enter(Step::flush);
}

}  // namespace hawser::proxy
