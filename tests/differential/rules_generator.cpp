#include "tests/differential/rules_generator.h"

#include <fmt/format.h>

#include "tests/differential/rules_words.h"

namespace hawser::test {

using abi::EntryPoint;
using namespace words;  // NOLINT(google-build-using-namespace)

std::string Configuration::text() const {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

Configuration Generator::configuration() {
  out_ = {};
  backends_ = 1 + below(6);
  line("defaults");
  line("  mode http");
  line("  timeout client 10s");
  line("  timeout server 10s");
  line("  timeout connect 10s");
  frontend("f");
  for (std::size_t at = 0; at < backends_; ++at) backend(at);
  return std::move(out_);
}

std::string Generator::backend_name() { return fmt::format("b{}", below(backends_)); }

void Generator::frontend(std::string_view name) {
  acls_ = 0;
  in_backend_ = false;
  const bool listens_itself = one_in(8);
  line(fmt::format("{} {}", listens_itself ? "listen" : "frontend", name));
  line(options_.for_haproxy ? "  bind @LISTENER@" : "  bind 127.0.0.1:8080");
  if (listens_itself && options_.for_haproxy) line("  server s @SERVER@");
  if (!options_.for_haproxy && !one_in(4)) {
    line("  log 127.0.0.1 local0");
    line(one_in(5) ? "  option httplog" : "  log-format " + log_format());
  }
  for (std::size_t count = below(4); count > 0; --count) {
    // A name may have several tests.
    line(fmt::format("  acl acl{} {}", acls_, test(EntryPoint::http_request)));
    if (one_in(4)) line(fmt::format("  acl acl{} {}", acls_, test(EntryPoint::http_request)));
    ++acls_;
  }
  if (!options_.for_haproxy && one_in(3)) connection_rules();
  if (!options_.for_haproxy && one_in(3)) content_rules();
  rules(EntryPoint::http_request, below(7));
  if (one_in(3)) run_of_rules();
  if (one_in(6))
    line(fmt::format("  redirect {} {}", redirection(EntryPoint::http_request), condition(EntryPoint::http_request)));
  rules(EntryPoint::http_response, below(3));
  use_backend_lines();
  if (!one_in(5)) line(fmt::format("  default_backend {}", backend_name()));
}

void Generator::connection_rules() {
  const std::string_view keyword = one_in(2) ? "connection" : "session";
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    const std::string_view action = any(std::to_array<std::string_view>(
        {"accept", "reject", "silent-drop", "set-var(sess.b) src", "set-src dst", "set-src str(10.1.2.3)",
         "set-src-port int(7)", "set-dst src", "set-dst-port src_port,add(1)"}));
    const std::string_view test = any(std::to_array<std::string_view>(
        {"{ src 10.0.0.0/8 }", "!{ src 192.0.2.0/24 }", "{ src_port lt 10 }", "{ dst 10.1.2.3 }", "FALSE", "WAIT_END",
         "{ var(sess.b) -m ip 192.0.2.1 } or { dst_port 8 }"}));
    line(fmt::format("  tcp-request {} {} {} {}", keyword, action, one_in(6) ? "unless" : "if", test));
  }
}

void Generator::content_rules() {
  if (one_in(2)) line("  tcp-request inspect-delay 1s");
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    const std::string_view action = any(std::to_array<std::string_view>(
        {"accept", "reject", "silent-drop", "set-var(txn.a) path", "set-var(txn.a) req.payload(0,2)",
         "set-var(txn.b) payload_lv(0,1,+1)", "set-var(txn.b) req.payload_lv(0,1)", "set-var(txn.b) payload(1,0)"}));
    line(fmt::format("  tcp-request content {} {}{}", action, condition(EntryPoint::http_request),
                     one_in(3) ? " WAIT_END" : ""));
  }
}

void Generator::use_backend_lines() {
  for (std::size_t count = below(4); count > 0; --count) {
    if (one_in(2)) {
      run_of_backends();
    } else if (one_in(4)) {
      line(fmt::format("  use_backend {} {}",
                       any(std::to_array<std::string_view>(
                           {"%[path,field(2,/)]", "b%[req.hdr(n)]", "%[req.hdr(x),lower]", "b%[path,length]"})),
                       condition(EntryPoint::choose_backend)));
    } else {
      line(fmt::format("  use_backend {} {}", backend_name(), condition(EntryPoint::choose_backend)));
    }
  }
}

// Tests of one value, as in a table of hosts or paths: what passes merge into one look-up.
std::vector<std::string> Generator::run_of_tests(std::size_t count) {
  static constexpr std::pair<std::string_view, std::string_view> kRuns[] = {{"req.hdr(host) -i", "str"},
                                                                            {"hdr(host)", "str"},
                                                                            {"hdr_beg(host)", "beg"},
                                                                            {"hdr_end(host) -i", "end"},
                                                                            {"path", "str"},
                                                                            {"path_beg", "beg"},
                                                                            {"path_end", "end"},
                                                                            {"path_dir", "dir"},
                                                                            {"req.hdr(x)", "str"},
                                                                            {"req.hdr_cnt(x)", "int"},
                                                                            {"req.hdr_val(n)", "int"},
                                                                            {"hdr_ip(x)", "ip"},
                                                                            {"src", "ip"},
                                                                            {"path,length", "int"},
                                                                            {"req.hdr(host),lower", "str"},
                                                                            {"hdr_dom(host)", "dom"},
                                                                            {"urlp(a)", "str"},
                                                                            {"method", "str"},
                                                                            {"var(txn.a) -m str", "str"},
                                                                            {"path_reg", "reg"},
                                                                            {"url_sub", "sub"},
                                                                            {"req.fhdr(x) -m len", "len"}};
  const auto& [criterion, method] = any(kRuns);
  std::vector<std::string> tests;
  for (; count > 0; --count) {
    if (one_in(12)) {
      tests.push_back(test(EntryPoint::http_request));  // something else stands between
      continue;
    }
    std::string patterns = pattern(criterion, method);
    if (one_in(4)) patterns += ' ' + pattern(criterion, method);
    tests.push_back(fmt::format("{} -- {}", criterion, patterns));
    if (criterion.find(" -m") != std::string_view::npos && one_in(10)) tests.back() = test(EntryPoint::http_request);
  }
  return tests;
}

void Generator::run_of_backends() {
  for (const std::string& test : run_of_tests(2 + below(10))) {
    std::string more;
    if (one_in(8)) more = ' ' + term(EntryPoint::choose_backend);
    if (one_in(12)) more += " or " + term(EntryPoint::choose_backend);
    line(fmt::format("  use_backend {} {} {{ {} }}{}", backend_name(), one_in(16) ? "unless" : "if", test, more));
  }
}

// Rules over one value, with actions that go on and such that end, and some that write what the next test reads.
void Generator::run_of_rules() {
  for (const std::string& test : run_of_tests(2 + below(8))) {
    std::string more;
    if (one_in(6)) more = ' ' + term(EntryPoint::http_request);
    line(fmt::format("  http-request {} {} {{ {} }}{}", action(EntryPoint::http_request), one_in(12) ? "unless" : "if",
                     test, more));
  }
}

void Generator::backend(std::size_t number) {
  acls_ = 0;
  in_backend_ = true;
  line(fmt::format("backend b{}", number));
  if (options_.for_haproxy) line("  server s @SERVER@");
  if (one_in(2)) rules(EntryPoint::http_request, below(3));
  if (!options_.for_haproxy && one_in(3)) {
    line(fmt::format("  tcp-response content {} if {{ {} }}",
                     any(std::to_array<std::string_view>({"accept", "reject", "close", "silent-drop"})),
                     any(std::to_array<std::string_view>({"status 404", "res.payload(0,1) -m found", "src 10.0.0.0/8",
                                                          "res.payload_lv(0,1) -m bin 00", "wait_end"}))));
  }
  if (one_in(2)) rules(EntryPoint::http_response, below(4));
}

void Generator::rules(EntryPoint point, std::size_t count) {
  const std::string_view keyword = point == EntryPoint::http_response ? "http-response" : "http-request";
  for (; count > 0; --count) {
    std::string text = action(point);
    const bool ends = text.starts_with("deny") || text.starts_with("return") || text.starts_with("redirect") ||
                      text.starts_with("allow") || text.starts_with("tarpit") || text == "reject" ||
                      text == "silent-drop";
    if (ends || !one_in(3)) text += ' ' + condition(point);
    line(fmt::format("  {} {}", keyword, text));
  }
}

std::string Generator::action(EntryPoint point) {
  const std::string_view name = any(std::to_array<std::string_view>({"x", "y", "n", "x-new", "host", "X-Upper"}));
  const std::string_view safe = options_.for_haproxy && name == "host" ? "x" : name;
  switch (below(17)) {
    case 16: return extra_end(point);
    case 0: return "deny" + reply(true);
    case 1: return "return" + reply(false);
    case 2: return "redirect " + redirection(point);
    case 3: return "allow";
    case 4:
    case 5:
    case 6: return fmt::format("set-header {} {}", safe, format(point));
    case 7:
    case 8: return fmt::format("add-header {} {}", safe, format(point));
    case 9:
    case 10:
      if (one_in(8)) return "del-header content-length";
      if (one_in(2)) return fmt::format("del-header {}", safe);
      return fmt::format(
          "del-header {} -m {}",
          any(std::to_array<std::string_view>({"x", "x-", "-new", "y", "^x", "gone", "content", "length"})),
          any(std::to_array<std::string_view>({"str", "beg", "end", "sub", "reg"})));
    default: {
      std::string_view variable = any(kVariables);
      if (options_.for_haproxy && variable.starts_with("proc")) variable = "txn.a";
      if (point == EntryPoint::http_response && one_in(2)) variable = "res.a";
      return fmt::format("set-var({}) {}", variable, sample(point));
    }
  }
}

// Ends that answer late or not at all; haproxy would have to be waited for.
std::string Generator::extra_end(EntryPoint point) {
  if (options_.for_haproxy) return "allow";
  if (point == EntryPoint::http_response) return "silent-drop";
  return std::string(
      any(std::to_array<std::string_view>({"tarpit", "tarpit deny_status 429", "reject", "silent-drop"})));
}

std::string Generator::reply(bool deny) {
  std::string text;
  if (deny && one_in(2)) return one_in(2) ? "" : " deny_status 429";
  if (one_in(2)) text += fmt::format(" status {}", any(std::to_array<int>({200, 403, 404, 418, 503})));
  if (!deny && one_in(8)) return " status 204";
  if (one_in(3)) text += fmt::format(" hdr x-reply {}", format(EntryPoint::http_request));
  switch (below(3)) {
    case 0: text += " content-type text/plain string body"; break;
    case 1: text += " content-type text/plain lf-string " + format(EntryPoint::http_request); break;
    default: break;
  }
  return text;
}

std::string Generator::redirection(EntryPoint point) {
  std::string text;
  if (point == EntryPoint::http_response || one_in(2)) {
    text = "location " + (one_in(2) ? std::string("/moved") : format(point));
  } else if (one_in(2)) {
    text = fmt::format("prefix {}",
                       any(std::to_array<std::string_view>({"/", "http://other", "\"http://%[req.hdr(host)]\""})));
  } else {
    text = "scheme https";
  }
  if (one_in(3)) text += fmt::format(" code {}", any(std::to_array<int>({301, 302, 303, 307, 308})));
  if (one_in(4)) text += " drop-query";
  if (one_in(4)) text += " append-slash";
  if (one_in(8)) text += one_in(2) ? " set-cookie seen=1" : " clear-cookie seen=";
  return text;
}

std::string Generator::request_target() {
  std::string target(any(kPaths));
  if (one_in(3)) {
    target += '?';
    for (std::size_t count = 1 + below(3); count > 0; --count) {
      target += fmt::format("{}={}{}", any(kParameters),
                            any(std::to_array<std::string_view>({"a", "b", "1", "%41+b", ""})), one_in(4) ? ";" : "&");
    }
  }
  if (one_in(20)) target = "http://a.example" + target;
  return target;
}

std::string Generator::field_value() {
  std::string text(one_in(5) ? any(kAddresses) : one_in(6) ? any(kHosts) : any(kTexts));
  while (one_in(4)) text += fmt::format(", {}", one_in(5) ? any(kAddresses) : any(kTexts));
  if (one_in(20)) text = "";
  return text;
}

Traffic Generator::traffic() {
  Traffic traffic;
  std::string method(any(kMethods));
  std::string target = request_target();
  if (method == "OPTIONS" && one_in(2)) target = "*";
  traffic.request = fmt::format("{} {} HTTP/1.{}\r\n", method, target, one_in(8) && !options_.for_haproxy ? 0 : 1);
  if (target.starts_with("http://")) {
    traffic.request += "host: a.example\r\n";
  } else {
    traffic.request += fmt::format("Host: {}\r\n", any(kHosts));
  }
  for (std::size_t count = below(5); count > 0; --count) {
    const std::string_view name = any(std::to_array<std::string_view>({"x", "X", "y", "n", "x-list", "gone"}));
    traffic.request += fmt::format("{}: {}\r\n", name, name == "n" ? std::string(any(kNumbers)) : field_value());
  }
  if (one_in(4)) traffic.request += "Cookie: c=1; d=\"2\"; c=a; session=abc\r\n";
  traffic.request += "\r\n";
  traffic.response =
      fmt::format("HTTP/1.1 {}\r\ncontent-length: 0\r\n",
                  any(std::to_array<std::string_view>({"200 OK", "404 Not Found", "500 Oops", "200 OK"})));
  for (std::size_t count = below(4); count > 0; --count) {
    traffic.response +=
        fmt::format("{}: {}\r\n", any(std::to_array<std::string_view>({"x", "y", "n", "x-list"})), field_value());
  }
  traffic.response += "\r\n";
  if (!options_.for_haproxy) {
    traffic.client = any(kAddresses);
    traffic.local = any(std::to_array<std::string_view>({"192.0.2.80", "2001:db8::80"}));
  }
  return traffic;
}

}  // namespace hawser::test
