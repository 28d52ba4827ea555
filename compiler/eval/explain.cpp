// One request, explained: the frontend is found, the request is walked through, and what came of it is told.
#include "compiler/eval/explain.h"

#include <fmt/format.h>

#include "compiler/eval/doors.h"
#include "compiler/plan/order.h"
#include "runtime/http/h1/reader.h"
#include "runtime/io/clock.h"
#include "runtime/tables/state.h"

namespace hawser::eval {
namespace {

using Said = Result<Explanation, std::string>;

std::string head_text(std::string_view start_line, const std::vector<std::string>& fields) {
  std::string text = fmt::format("{}\r\n", start_line);
  for (const std::string& field : fields) text += field + "\r\n";
  return text + "\r\n";
}

// "200" and "404 Not Found" are completed.
std::string status_line(const std::string& text, const Answers& answers) {
  if (text.starts_with("HTTP/")) return text;
  if (text.find(' ') != std::string::npos) return "HTTP/1.1 " + text;
  unsigned status = 0;
  for (const char c : text) status = status * 10 + static_cast<unsigned>(c - '0');
  const bool digits = text.size() == 3 && text.find_first_not_of("0123456789") == std::string::npos;
  const std::string_view reason = digits ? answers.reason(static_cast<std::uint16_t>(status)) : std::string_view();
  return fmt::format("HTTP/1.1 {} {}", text, reason);
}

Explanation::Message message_of(std::string line, const http::Head& head) {
  Explanation::Message message{std::move(line), {}, {}};
  for (const http::Field& field : head.fields) {
    if (!field.removed) message.fields.emplace_back(field.name, field.value);
  }
  return message;
}

// The session, the exchange and the heads that the rules run about.
class Stage {
 public:
  Stage(abi::ImageView plan, const compiler::ProxyOrder& order) : state_(1), installed_(plan, state_), order_(order) {}

  // "" or what is wrong.
  std::string set(const ExplainCommand& command, const Door& door, bool is_http, const Answers& answers) {
    const io::Now now = io::Now::read();
    session_.client = command.client.value_or(SocketAddress::ip(*IpAddress::parse("127.0.0.1"), 50000));
    if (command.local) {
      session_.local = *command.local;
    } else if (door.local) {
      session_.local = *door.local;
    }
    session_.accepted = exchange_.began = now;
    exchange_.idle_since_us = exchange_.head_read_us = now.monotonic_us;
    session_.frontend = order_.index(door.frontend);
    if (is_http) {
      if (std::string wrong = read_request(command); !wrong.empty()) return wrong;
    }
    if (is_http && !command.response.empty()) {
      if (std::string wrong = read_response(command, answers); !wrong.empty()) return wrong;
    }
    subject_.installed = &installed_;
    subject_.session = &session_;
    subject_.exchange = &exchange_;
    subject_.request = is_http ? &request_ : nullptr;
    subject_.txn = &txn_;
    subject_.req = &req_;
    subject_.res = &res_;
    subject_.arena = &arena_;
    subject_.now = now;
    return {};
  }

  Walk walk(const Evaluator& evaluator, model::ProxyId frontend) {
    exec::WorkerContext worker;
    return eval::walk(evaluator, frontend, subject_, worker, has_response_ ? &response_ : nullptr);
  }

  const exec::SessionFacts& session() const noexcept { return session_; }
  const http::Head& request() const noexcept { return request_; }
  const http::Head& response() const noexcept { return response_; }

 private:
  std::string read_request(const ExplainCommand& command) {
    request_text_ = head_text(command.request, command.fields);
    http::h1::RequestReader reader;
    const http::HeadResult result = reader.read_head(request_text_, arena_, request_, {});
    if (result.read != http::Read::complete) {
      return fmt::format("'{}' is answered {} at once: {}", command.request, result.status == 0 ? 400 : result.status,
                         *result.error != '\0' ? result.error : "it is no complete request");
    }
    exchange_.request_line = request_.start_line;
    exchange_.method = request_.method;
    exchange_.uri = request_.target;
    exchange_.version_minor = request_.version_minor;
    return {};
  }

  std::string read_response(const ExplainCommand& command, const Answers& answers) {
    response_text_ = head_text(status_line(command.response, answers), command.response_fields);
    http::h1::ResponseReader reader;
    const http::HeadResult result = reader.read_head(response_text_, arena_, response_, {});
    has_response_ = true;
    if (result.read == http::Read::complete) return {};
    return fmt::format("'{}' is no response: --response expects a status, as in --response 404", command.response);
  }

  tables::State state_;
  tables::Installed installed_;
  const compiler::ProxyOrder& order_;
  exec::SessionFacts session_;
  exec::ExchangeFacts exchange_;
  std::string request_text_, response_text_;
  http::Head request_, response_;
  bool has_response_ = false;
  exec::Variables txn_, req_, res_;
  Arena arena_;
  exec::Subject subject_;
};

std::string unused(const model::Server& server) {
  if (server.disabled) return "disabled";
  return server.weight == 0 ? "weight 0" : "";
}

void add_servers(const model::Proxy& backend, const grammar::Sources& sources, Explanation& said) {
  said.balance = backend.balance.is_set() ? *backend.balance : "roundrobin";
  for (const model::Server& server : backend.servers) {
    Explanation::Server row{server.name, text_of(server.address), server.weight, unused(server),
                            place_of(sources, server.span)};
    if (!server.port_given) row.address += fmt::format(" (the client's port{:+})", server.port_offset);
    said.servers.push_back(std::move(row));
  }
}

// An error page of the proxy: the backend's, the frontend's, or the built-in one.
void add_page(const model::Config& config, const std::vector<const model::Proxy*>& proxies, std::uint16_t status,
              const Answers& answers, Explanation::Answer& answer) {
  for (const model::Proxy* proxy : proxies) {
    const auto found = proxy->error_files.find(status);
    if (found == proxy->error_files.end()) continue;
    const model::Reply& file = config.replies[found->second];
    answer.silent = file.silent;
    answer.verbatim = file.body;
    answer.source = fmt::format("the error file of {}", proxy->name);
    return;
  }
  answer.source = "the built-in page";
  answer.message.body = answers.page(status);
}

Explanation::Answer answer_of(const model::Config& config, const Evaluation& end,
                              const std::vector<const model::Proxy*>& proxies, const Answers& answers) {
  Explanation::Answer answer;
  const auto begin = [&](std::uint16_t status, std::string_view reason) {
    answer.status = status;
    answer.message.line = fmt::format("HTTP/1.1 {} {}", status, reason);
  };
  if (end.redirect != nullptr) {
    begin(end.redirect->code, end.redirect->code == 302 ? "Found" : answers.reason(end.redirect->code));
    answer.message.fields.emplace_back("location", end.location);
    if (!end.redirect->set_cookie.empty()) {
      answer.message.fields.emplace_back("set-cookie", fmt::format("{}; path=/;{}", end.redirect->set_cookie,
                                                                   end.redirect->clear_cookie ? " Max-Age=0;" : ""));
    }
    return answer;
  }
  if (end.reply >= config.replies.size()) {
    const std::uint16_t status = compiler::kDenyStatus[end.reply - config.replies.size()];
    begin(status, answers.reason(status));
    add_page(config, proxies, status, answers, answer);
    return answer;
  }
  const model::Reply& reply = config.replies[config.replies.id_at(end.reply)];
  begin(reply.status, answers.reason(reply.status));
  answer.silent = reply.silent;
  if (reply.is_error_page) {
    add_page(config, proxies, reply.status, answers, answer);
  } else if (reply.raw) {
    answer.verbatim = reply.body;
    answer.source = "the rule's error file";
  } else {
    answer.message.body = reply.body_format ? end.body : reply.body;
    if (!reply.content_type.empty() && !answer.message.body.empty())
      answer.message.fields.emplace_back("content-type", reply.content_type);
    for (std::size_t at = 0; at < reply.fields.size(); ++at) {
      if (!end.field_values[at].empty())
        answer.message.fields.emplace_back(reply.fields[at].first, end.field_values[at]);
    }
  }
  return answer;
}

std::string why_backend(const Walk& walk, const model::Config& config, const Door& door,
                        const grammar::Sources& sources) {
  const model::Proxy& frontend = config.proxies[door.frontend];
  switch (walk.choice) {
    case Walk::Choice::rule:
      for (const Visit& visit : walk.visits) {
        if (visit.point != abi::EntryPoint::choose_backend) continue;
        return fmt::format("chosen at {}", place_of(sources, frontend.backend_rules[visit.end.rule].span));
      }
      return "chosen by a use_backend line";
    case Walk::Choice::default_backend:
      return fmt::format("the default_backend of {}", place_of(sources, frontend.default_backend.span));
    case Walk::Choice::itself: return "the listen section itself";
    case Walk::Choice::none: break;
  }
  return "";
}

// Rules over connections and their bytes, which no request shows.
bool has_tcp_rules(const model::Proxy& proxy) {
  using model::Ruleset;
  const auto has = [&](Ruleset ruleset) { return !proxy.rules[static_cast<std::size_t>(ruleset)].empty(); };
  return has(Ruleset::tcp_connection) || has(Ruleset::tcp_session) || has(Ruleset::tcp_content) ||
         has(Ruleset::tcp_response);
}

}  // namespace

Said explain(const ExplainCommand& command, const model::Config& config, abi::ImageView plan,
             const grammar::Sources& sources, const Answers& answers) {
  auto door = Doors(config, sources).find(command.frontend, command.local);
  if (!door) return door.error();
  const model::Proxy& frontend = config.proxies[door->frontend];
  if (*frontend.disabled) return fmt::format("the frontend '{}' is disabled: it takes no traffic", frontend.name);
  Explanation said;
  said.is_http = *frontend.mode == abi::Mode::http;
  if (said.is_http && command.request.empty()) {
    return fmt::format("the frontend '{}' speaks HTTP: give it a request line, as 'GET /path'", frontend.name);
  }
  if (!said.is_http && !(command.request.empty() && command.fields.empty() && command.response.empty())) {
    return fmt::format("the frontend '{}' is in mode tcp: it reads no request", frontend.name);
  }
  const compiler::ProxyOrder order(config);
  Stage stage(plan, order);
  if (std::string wrong = stage.set(command, *door, said.is_http, answers); !wrong.empty()) return wrong;
  if (said.is_http) said.request = message_of(command.request, stage.request());
  said.client = stage.session().client.to_string();
  said.local = stage.session().local.to_string();
  said.frontend = explained(frontend, sources);
  said.frontend.why = door->why;

  const Evaluator evaluator(config);
  const Walk walk = stage.walk(evaluator, door->frontend);
  said.rulesets = explained(walk, config, sources);
  said.chooses_backend = walk.reached_choice;
  std::vector<const model::Proxy*> proxies{&frontend};
  if (walk.backend) {
    const model::Proxy& backend = config.proxies[*walk.backend];
    proxies.insert(proxies.begin(), &backend);
    said.backend = explained(backend, sources);
    said.backend->why = why_backend(walk, config, *door, sources);
  }
  if (has_tcp_rules(frontend) || (walk.backend && has_tcp_rules(config.proxies[*walk.backend]))) {
    said.note = "tcp-request and tcp-response rules are left out: explain sends no bytes";
  }
  const bool over = walk.answered || walk.closed;
  const bool to_server = walk.backend && !(over && walk.visits.back().point == abi::EntryPoint::http_request);
  if (to_server) {
    add_servers(config.proxies[*walk.backend], sources, said);
    if (said.is_http) said.forwarded = message_of(command.request, stage.request());
  }
  if (walk.answered) {
    said.answer = answer_of(config, walk.visits.back().end, proxies, answers);
  } else if (walk.backend && !walk.closed && said.is_http && !command.response.empty()) {
    said.response = message_of(status_line(command.response, answers), stage.response());
  }
  return said;
}

}  // namespace hawser::eval
