// `show stat`: the columns of stat_columns.def for each frontend, server and backend, as CSV, typed, or JSON.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "runtime/admin/answer.h"
#include "runtime/admin/values.h"
#include "runtime/io/clock.h"

namespace hawser::admin {
namespace {

using tables::Installed;

enum class Kind : std::uint8_t { frontend, server, backend };

// A word such as "typed" and the three numbers that choose rows: a proxy (-1: all), kinds (1 frontends, 2 backends,
// 4 servers, 8 listeners), and a server (-1: all).
struct Request {
  enum class Form : std::uint8_t { csv, typed, json } form = Form::csv;
  bool without_maintenance = false;  // up, no-maint
  int proxy = -1;
  std::uint32_t kinds = 7;
  int own = -1;
};

// What the columns are read from.
struct Row {
  const Subject& subject;
  const Request& request;
  const Installed::ProxyRow& proxy;
  const Installed::ServerRow* server;  // of servers
  Kind kind;
  const tables::CounterSet& counters;
  std::int64_t limit;  // of a frontend or backend
  std::int64_t now_s;

  bool http() const { return proxy.plan->mode == abi::Mode::http; }
  Value proxy_name() const { return Value::of(proxy.name); }
  Value own_name() const {
    if (kind == Kind::server) return Value::of(subject.installed.image().text(server->plan->name));
    return Value::of(kind == Kind::frontend ? "FRONTEND" : "BACKEND");
  }
  Value mode() const { return Value::of(http() ? "http" : "tcp"); }
  Value algorithm() const { return Value::of("roundrobin"); }
  Value dash() const { return Value::of("-"); }
  Value address() const { return server->address.size == 0 ? Value{} : Value::of(server->address.to_string()); }
  std::int64_t proxy_id() const { return proxy.plan->id; }
  std::int64_t own_id() const { return kind == Kind::server ? server->plan->id : 0; }
  std::int64_t session_limit() const { return limit; }
  Value status() const;
  std::int64_t weight() const;
  std::int64_t active() const;
  std::int64_t since_change_s() const {
    const std::int64_t changed = kind == Kind::server ? server->state->changed_s : 0;
    return now_s - (changed != 0 ? changed : static_cast<std::int64_t>(subject.facts.started_monotonic_s));
  }
  std::int64_t since_session_s() const {
    const std::int64_t last = counters.max(&tables::Counters::last_session_s);
    return last == 0 ? -1 : now_s - last;
  }
};

bool is_up(const Installed::ServerRow& server) { return server.state->admin.load() == tables::ServerAdmin::ready; }

std::int64_t frontend_limit(const Subject& subject, const abi::Proxy& frontend) {
  return frontend.maxconn != 0 ? frontend.maxconn : subject.facts.maxconn;
}

// Of each backend: a tenth of what the frontends that lead to it may hold, as haproxy reckons `fullconn`.
std::vector<std::int64_t> backend_limits(const Subject& subject) {
  const std::vector<Installed::ProxyRow>& proxies = subject.installed.proxies();
  std::vector<std::int64_t> sums(proxies.size());
  for (std::size_t at = 0; at < proxies.size(); ++at) {
    const abi::Proxy& plan = *proxies[at].plan;
    if (!plan.is_frontend) continue;
    const std::int64_t limit = frontend_limit(subject, plan);
    if (plan.is_backend) sums[at] += limit;
    if (plan.default_backend < sums.size() && plan.default_backend != at) sums[plan.default_backend] += limit;
  }
  for (std::int64_t& sum : sums) sum = std::max<std::int64_t>((sum + 9) / 10, 1);
  return sums;
}

Value Row::status() const {
  if (kind == Kind::frontend) return Value::of(subject.facts.stopping() || proxy.plan->disabled ? "STOP" : "OPEN");
  if (kind == Kind::server) return Value::of(is_up(*server) ? "no check" : "MAINT");
  const std::int64_t up = active();
  const std::string_view word = up != 0 || proxy.servers.empty() ? "UP" : "DOWN";
  if (!request.without_maintenance) return Value::of(word);
  return Value::of(fmt::format("{} ({}/{})", word, up, proxy.servers.size()));
}

std::int64_t Row::weight() const {
  if (kind == Kind::server) return server->state->weight.load();
  std::int64_t sum = 0;
  for (const Installed::ServerRow& each : proxy.servers) sum += is_up(each) ? each.state->weight.load() : 0;
  return sum;
}

std::int64_t Row::active() const {
  if (kind == Kind::server) return 1;
  return std::count_if(proxy.servers.begin(), proxy.servers.end(), is_up);
}

struct Column {
  std::string_view name;
  Tags tags;
  Value (*read[3])(const Row& row);
};

Value make(ValueType type, std::int64_t number) { return {type, number, {}}; }
Value make(ValueType, Value value) { return value; }

#define ABSENT \
  Value {}
#define SUM(which) row.counters.sum(&tables::Counters::which)
#define RESPONSES(hundred) row.counters.sum_response(hundred)
#define HTTP(number) (row.http() ? make(kType, number) : Value{})
#define STAT_READ(type, value)                                    \
  [](const Row& row) -> Value {                                   \
    [[maybe_unused]] constexpr ValueType kType = ValueType::type; \
    static_cast<void>(row);                                       \
    return make(kType, value);                                    \
  }
#define STAT(name, tags, type, frontend, server, backend) \
  {name, tags, {STAT_READ(type, frontend), STAT_READ(type, server), STAT_READ(type, backend)}},
constexpr Column kColumns[] = {
#include "runtime/admin/stat_columns.def"
};
#undef STAT
#undef STAT_READ
#undef HTTP
#undef RESPONSES
#undef SUM
#undef ABSENT

constexpr std::size_t kPieceBytes = 16 * 1024;

// Walks frontends, servers and backends in the order of the file.
class Stat final : public Answer {
 public:
  Stat(const Subject& subject, const Request& request) : subject_(subject), request_(request) {}

  bool append(std::string& out) override {
    if (!begun_) begin(out);
    const std::size_t end = out.size() + kPieceBytes;
    const std::vector<Installed::ProxyRow>& proxies = subject_.installed.proxies();
    for (; proxy_ < proxies.size(); ++proxy_, step_ = 0) {
      const Installed::ProxyRow& proxy = proxies[proxy_];
      if (request_.proxy >= 0 && static_cast<std::uint32_t>(request_.proxy) != proxy.plan->id) continue;
      for (; step_ < proxy.servers.size() + 2; ++step_) {
        if (out.size() >= end) return false;
        append_step(out, proxy);
      }
    }
    if (request_.form == Request::Form::json) out += "]\n";
    return true;
  }

 private:
  void begin(std::string& out) {
    begun_ = true;
    if (request_.form == Request::Form::json) out += '[';
    if (request_.form != Request::Form::csv) return;
    out += "# ";
    for (const Column& column : kColumns) fmt::format_to(std::back_inserter(out), "{},", column.name);
    out += '\n';
  }

  // Step 0 is the frontend, the last one the backend, those between the servers.
  void append_step(std::string& out, const Installed::ProxyRow& proxy) {
    if (step_ == 0) {
      if (proxy.plan->is_frontend && (request_.kinds & 1) != 0 && request_.own <= 0) {
        append_row(out, {subject_, request_, proxy, nullptr, Kind::frontend, proxy.state->frontend,
                         frontend_limit(subject_, *proxy.plan), now_s_});
      }
    } else if (step_ <= proxy.servers.size()) {
      const Installed::ServerRow& server = proxy.servers[step_ - 1];
      const bool chosen = request_.own < 0 || static_cast<std::uint32_t>(request_.own) == server.plan->id;
      if ((request_.kinds & 4) != 0 && chosen && (is_up(server) || !request_.without_maintenance)) {
        append_row(out, {subject_, request_, proxy, &server, Kind::server, server.state->counters, 0, now_s_});
      }
    } else if (proxy.plan->is_backend && (request_.kinds & 2) != 0 && request_.own <= 0) {
      append_row(out,
                 {subject_, request_, proxy, nullptr, Kind::backend, proxy.state->backend, limits_[proxy_], now_s_});
    }
  }

  void append_row(std::string& out, const Row& row) {
    const auto kind = static_cast<std::size_t>(row.kind);
    if (request_.form == Request::Form::csv) {
      for (const Column& column : kColumns) {
        append_csv(out, column.read[kind](row));
        out += ',';
      }
      out += '\n';
      return;
    }
    const bool json = request_.form == Request::Form::json;
    bool first = true;
    std::size_t position = 0;
    if (json) out += first_row_ ? "[" : ",[";
    first_row_ = false;
    for (const Column& column : kColumns) {
      if (column.name == "-") continue;  // stands in the CSV alone, and is not numbered
      const std::size_t at = position++;
      const Value value = column.read[kind](row);
      if (!value.present()) continue;
      if (json) {
        static constexpr std::string_view kNames[] = {"Frontend", "Server", "Backend"};
        fmt::format_to(std::back_inserter(out),
                       R"({}{{"objType":"{}","proxyId":{},"id":{},"field":{{"pos":{},"name":"{}"}},"processNum":1,)",
                       first ? "" : ",", kNames[kind], row.proxy_id(), row.own_id(), at, column.name);
        append_json(out, column.tags, value);
        out += '}';
      } else {
        fmt::format_to(std::back_inserter(out), "{}.{}.{}.{}.{}.1:", "FSB"[kind], row.proxy_id(), row.own_id(), at,
                       column.name);
        append_typed(out, column.tags, value);
        out += '\n';
      }
      first = false;
    }
    if (json) out += ']';
  }

  const Subject subject_;
  const Request request_;
  const std::int64_t now_s_ = static_cast<std::int64_t>(io::Now::read().monotonic_us / 1'000'000);
  const std::vector<std::int64_t> limits_ = backend_limits(subject_);  // by proxy
  bool begun_ = false;
  bool first_row_ = true;
  std::size_t proxy_ = 0;
  std::size_t step_ = 0;
};

std::optional<int> read_number(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::unique_ptr<Answer> answer_stat(const Subject& subject, const Command& command) {
  Request request;
  std::size_t at = 2;
  if (command.words.size() > 3 && command.words[2] == "domain") {
    if (command.words[3] == "resolvers")
      return answer_text("'show stat domain resolvers' is not supported by hawser yet.\n");
    if (command.words[3] != "proxy") return answer_text("Invalid statistics domain.\n");
    at = 4;
  }
  // Three words choose rows, whatever they say; fewer are the form.
  if (command.words.size() >= at + 3) {
    const std::string& proxy = command.words[at];
    if (const std::optional<int> number = read_number(proxy)) {
      request.proxy = *number;
    } else {
      int found = subject.installed.find_frontend(proxy);
      if (found < 0) found = subject.installed.find_backend(proxy);
      if (found < 0) return answer_text("No such proxy.\n");
      request.proxy = static_cast<int>(subject.installed.proxies()[static_cast<std::size_t>(found)].plan->id);
    }
    request.kinds = static_cast<std::uint32_t>(read_number(command.words[at + 1]).value_or(0));
    request.own = read_number(command.words[at + 2]).value_or(0);
    at += 3;
  }
  for (; at < command.words.size(); ++at) {
    const std::string& word = command.words[at];
    if (word == "typed") request.form = Request::Form::typed;
    if (word == "json") request.form = Request::Form::json;
    if (word == "up" || word == "no-maint") request.without_maintenance = true;
    if (word == "desc") return answer_text("'show stat desc' is not supported by hawser yet.\n");
  }
  return std::make_unique<Stat>(subject, request);
}

}  // namespace hawser::admin
