// Engines beside each other: the same requests go through the same configuration, and each engine says in one form what
// came of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/eval/evaluator.h"
#include "compiler/plan/order.h"
#include "runtime/exec/run.h"
#include "runtime/http/h1/reader.h"
#include "runtime/tables/state.h"

namespace hawser::test {

// A request as it comes over the wire, and the response that it gets.
struct Traffic {
  std::string request = "GET / HTTP/1.1\r\nhost: h\r\n\r\n";
  std::string response = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
  std::string client = "192.0.2.1";
  std::string local = "192.0.2.80";
};

// What an entry came to, comparable between engines.
struct Ending {
  exec::Outcome::Kind kind = exec::Outcome::Kind::next;
  std::string said;  // everything of it but the backend
  std::int32_t backend = -1;
};

inline std::string redirect_text(std::uint16_t code, std::string_view cookie, bool clear, std::string_view location) {
  return fmt::format("redirect {} to '{}' cookie '{}'{}", code, location, cookie, clear ? " cleared" : "");
}
template <class Values>
std::string reply_text(abi::ActionId action, std::uint32_t reply, std::string_view body, const Values& values) {
  std::string text = fmt::format("{} with reply {} body '{}'", abi::name_of(action), reply, body);
  for (const auto& value : values) text += fmt::format(" field '{}'", value);
  return text;
}

// A session with one exchange, new for each engine.
struct Scene {
  exec::SessionFacts session;
  exec::ExchangeFacts exchange;
  http::Head request, response;
  exec::Variables txn, req, res;
  Arena arena;
  exec::Subject subject;
  bool sound = false;  // both heads could be read

  explicit Scene(const Traffic& traffic) {
    session.client = SocketAddress::ip(*IpAddress::parse(traffic.client), 40000);
    session.local = SocketAddress::ip(*IpAddress::parse(traffic.local), 8080);
    session.accepted = exchange.began = io::Now{1'000'000, 1'700'000'000'123'000};
    exchange.idle_since_us = 1'000'000;
    exchange.head_read_us = 1'002'000;
    exchange.connect_began_us = 1'003'000;
    exchange.connected_us = 1'007'000;
    exchange.response_head_us = 1'020'000;
    exchange.ended_us = 1'050'000;
    http::h1::RequestReader requests;
    http::h1::ResponseReader responses;
    sound = requests.read_head(traffic.request, arena, request, {}).read == http::Read::complete &&
            responses.read_head(traffic.response, arena, response, {}).read == http::Read::complete;
    exchange.request_line = request.start_line;
    exchange.method = request.method;
    exchange.uri = request.target;
    exchange.version_minor = request.version_minor;
    subject.session = &session;
    subject.exchange = &exchange;
    subject.request = &request;
    subject.txn = &txn;
    subject.req = &req;
    subject.res = &res;
    subject.arena = &arena;
    subject.now = io::Now{1'060'000, 1'700'000'000'183'000};
  }
};

class Machine {
 public:
  Machine(std::string name, abi::ImageView plan) : name_(std::move(name)), installed_(plan, state_) {}
  virtual ~Machine() = default;
  virtual Ending run(std::uint32_t proxy, abi::EntryPoint point, exec::Subject& subject) = 0;
  const std::string& name() const noexcept { return name_; }
  tables::Installed& installed() noexcept { return installed_; }

 protected:
  exec::WorkerContext worker_;

 private:
  std::string name_;
  tables::State state_{1};  // each engine has `proc` variables of its own
  tables::Installed installed_;
};

// A Program, run by whatever its Engine runs it with.
class ProgramMachine : public Machine {
 public:
  ProgramMachine(std::string name, abi::ImageView plan, std::unique_ptr<exec::Engine> engine)
      : Machine(std::move(name), plan), engine_(std::move(engine)) {}

  Ending run(std::uint32_t proxy, abi::EntryPoint point, exec::Subject& subject) override {
    if (!engine_->has(proxy, point)) return {};
    const abi::Entry& entry = engine_->entry(proxy, point);
    exec::Outcome outcome = engine_->run(entry, worker_, subject, frame_, 0);
    while (outcome.kind == exec::Outcome::Kind::suspend) {
      outcome = engine_->run(entry, worker_, subject, frame_, frame_.resume);
    }
    Ending ending{outcome.kind, std::string(frame_.line), frame_.backend};
    if (outcome.kind != exec::Outcome::Kind::reply) return ending;
    if (outcome.redirect) {
      const abi::ImageView image = engine_->image();
      const abi::Redirect& row = image.rows(engine_->program().redirects)[outcome.index];
      ending.said = redirect_text(row.code, image.text(row.set_cookie), row.clear_cookie, frame_.location);
    } else {
      ending.said = reply_text(outcome.action, outcome.index, frame_.body, frame_.field_values);
    }
    return ending;
  }
  const exec::Engine& engine() const noexcept { return *engine_; }

 private:
  std::unique_ptr<exec::Engine> engine_;
  exec::Frame frame_;
};

class EvaluatorMachine : public Machine {
 public:
  EvaluatorMachine(const model::Config& config, abi::ImageView plan)
      : Machine("evaluator", plan), evaluator_(config), order_(config) {}

  Ending run(std::uint32_t proxy, abi::EntryPoint point, exec::Subject& subject) override {
    const eval::Evaluation end = evaluator_.run(order_.proxies()[proxy], point, subject, worker_);
    Ending ending{end.kind, end.line, end.backend ? static_cast<std::int32_t>(order_.index(*end.backend)) : -1};
    if (end.redirect != nullptr) {
      ending.said =
          redirect_text(end.redirect->code, end.redirect->set_cookie, end.redirect->clear_cookie, end.location);
    } else if (end.kind == exec::Outcome::Kind::reply) {
      ending.said = reply_text(end.action, end.reply, end.body, end.field_values);
    }
    return ending;
  }

 private:
  eval::Evaluator evaluator_;
  compiler::ProxyOrder order_;
};

inline void append_head(const http::Head& head, std::string& text) {
  for (const http::Field& field : head.fields) {
    if (!field.removed) text += fmt::format("    {}: {}\n", field.name, field.value);
  }
}

// One request on its way, as an exchange goes: what each entry came to, and how it left the heads.
inline std::string journey(Machine& machine, std::uint32_t frontend, const Traffic& traffic) {
  using Kind = exec::Outcome::Kind;
  Scene scene(traffic);
  if (!scene.sound) return "unreadable\n";
  exec::Subject& subject = scene.subject;
  subject.installed = &machine.installed();
  scene.session.frontend = frontend;
  std::string told;
  bool answered = false;
  const auto enter = [&](std::uint32_t proxy, abi::EntryPoint point) {
    const Ending ending = machine.run(proxy, point, subject);
    answered = answered || ending.kind == Kind::reply || ending.kind == Kind::close;
    told += fmt::format("{} of proxy {}: {} {} {}\n", abi::name_of(point), proxy, static_cast<int>(ending.kind),
                        ending.backend, ending.said);
    append_head(subject.response == nullptr ? scene.request : scene.response, told);
    return ending;
  };
  const auto finish = [&] {
    enter(frontend, abi::EntryPoint::log);
    return told;
  };
  for (const abi::EntryPoint point : {abi::EntryPoint::connection, abi::EntryPoint::session, abi::EntryPoint::content,
                                      abi::EntryPoint::http_request}) {
    enter(frontend, point);
    if (answered) return finish();
  }
  const abi::Proxy& plan = *machine.installed().proxies()[frontend].plan;
  std::int64_t backend = enter(frontend, abi::EntryPoint::choose_backend).backend;
  if (backend < 0 && plan.default_backend != 0xffff'ffff) backend = plan.default_backend;
  if (backend < 0 && plan.is_backend) backend = frontend;
  if (backend < 0) return finish();
  scene.exchange.backend = static_cast<std::int32_t>(backend);
  const auto chosen = static_cast<std::uint32_t>(backend);
  if (chosen != frontend) enter(chosen, abi::EntryPoint::content);
  if (chosen != frontend && !answered) enter(chosen, abi::EntryPoint::http_request);
  if (answered) return finish();
  subject.response = &scene.response;
  scene.exchange.status = scene.response.status;
  scene.req.clear();
  enter(chosen, abi::EntryPoint::tcp_response);
  if (!answered) enter(chosen, abi::EntryPoint::http_response);
  if (!answered && chosen != frontend) enter(frontend, abi::EntryPoint::http_response);
  return finish();
}

}  // namespace hawser::test
