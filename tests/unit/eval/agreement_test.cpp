// The evaluator and the interpreter agree, over configurations that use every row there is.
#include <doctest/doctest.h>

#include <set>

#include "runtime/abi/rows.h"
#include "tests/support/compile_text.h"
#include "tests/support/machines.h"

namespace hawser::test {
namespace {

std::string every_alias() {
  std::string format;
  for (std::size_t at = 0; at < static_cast<std::size_t>(abi::AliasId::count_); ++at) {
    format += fmt::format("%{} %{{+Q}}{} ", abi::name_of(static_cast<abi::AliasId>(at)),
                          abi::name_of(static_cast<abi::AliasId>(at)));
  }
  return format;
}

const char* const kConnectionRules = R"(
  tcp-request connection set-var(sess.client) src
  tcp-request connection set-src str(10.9.8.7) if { src 10.1.2.3 }
  tcp-request connection set-src-port int(7)
  tcp-request connection set-dst src
  tcp-request connection set-dst-port src_port,add(1)
  tcp-request connection silent-drop if { src_port 8 }
  tcp-request session accept if { dst_port gt 4 }
  tcp-request session reject
  tcp-request content reject if { path /content } or { payload(0,1) -m bin 47 }
  tcp-request content set-var(txn.bytes) req.len,concat(<)
  tcp-request content set-var(txn.p) req.payload(0,4) if { req.payload_lv(0,1) -m found } or { payload_lv(0,1,+1) -m found }
  tcp-request content set-var(txn.r) req.rdp_cookie(a) if RDP_COOKIE or { rdp_cookie_cnt gt 0 } or { rdp_cookie -m found }
  tcp-request content accept if { req.ssl_sni -i a.example } or { req_ssl_sni b } or { req.ssl_ver 3.1:3.3 } or { req_ssl_ver 3.0 }
  tcp-request content set-var(txn.n) req_ssl_sni
  tcp-request content set-var(txn.m) req_ssl_ver
  tcp-request content accept if { req.ssl_hello_type 1 } or { req_ssl_hello_type 1 } WAIT_END
)";

const char* const kRequestRules = R"(
  http-request set-var(txn.seven) int(7)
  http-request set-var(txn.word) path
  http-request set-var(sess.from) src
  http-request set-var(req.n) req.hdr_cnt(x),add(txn.seven),sub(2)
  http-request set-var(proc.seen) var(proc.seen,0),add(1)
  http-request set-header x-fetches "%[always_true] %[always_false] %[bool(1)] %[int(5)] %[str(a)] %[wait_end]"
  http-request add-header x-fetches "%[src] %[src_port] %[dst] %[dst_port] %[method] %[path] %[query] %[url]"
  http-request add-header x-fetches "%[req.ver] %[req_ver] %[req.proto_http] %[req_proto_http] %[req.len] %[req_len]"
  http-request add-header x-fetches "%[url_param(a)] %[urlp(a,;)] %[urlp(A,,i)] %[req.hdr(x)] %[hdr(x,1)] %[req.fhdr(x)]"
  http-request add-header x-fetches "%[req.hdr_cnt(x)] %[hdr_cnt(X)] %[req.hdr_val(n)] %[hdr_val(n,-1)] %[req.hdr_ip(x)] %[hdr_ip(x,2)]"
  http-request add-header x-fetches "%[req.cook(c)] %[cook(d)] %[cook] %[var(txn.word)] %[var(txn.none,else)] %[var(proc.seen)]"
  http-request add-header x-converters "%[path,lower] %[path,upper] %[path,field(2,/)] %[path,word(-1,/)] %[path,concat(<,txn.seven,>)]"
  http-request add-header x-converters "%[req.hdr(n),add(1)] %[req.hdr(n),sub(txn.seven)] %[path,length] %[url,url_dec] %[path,url_dec(1)]"
  http-request del-header gone
  http-request del-header be -m beg
  http-request del-header nd -m end
  http-request del-header idd -m sub
  http-request del-header ^re[a-z]x$ -m reg
  http-request tarpit if { path /tarred }
  http-request tarpit deny_status 429 if { path /tarred2 }
  http-request reject if { path /rejected }
  http-request silent-drop if { path /dropped }
  http-request deny if { path /denied }
  http-request deny deny_status 429 if { path_beg /slow }
  http-request deny status 418 content-type text/plain lf-string "no %[path]" hdr x-why "%[src]" if { path_end .secret }
  http-request return status 200 content-type text/plain string hello if { path_sub hel }
  http-request return lf-string "%[path] %[src]" content-type text/plain hdr a b hdr x "%[req.hdr(x)]" if { path_dir made }
  http-request return status 204 if { path_reg ^/[0-9]+$ }
  http-request redirect location http://%[req.hdr(host),lower]/ code 303 if { path_len 4 }
  http-request redirect scheme https if { hdr_dom(host) -i secure }
  http-request allow if { req.hdr(x) -m found } !{ req.hdr(x) -m int 5 } or { req.hdr(n) -m int 3:7 9 gt 100 }
  http-request deny if { src 10.0.0.0/8 } or { hdr_ip(x) 192.0.2.0/24 }
  http-request set-header behind yes unless { method POST }
  redirect prefix http://other drop-query append-slash set-cookie seen=1 if { path_beg /old }
  redirect prefix / clear-cookie seen if { urlp(a) -m str b } { always_true }
)";

std::string whole() {
  return http_config(
      "frontend f\n  bind :80\n  log 127.0.0.1 local0\n  log-format \"" + every_alias() +
      " %[src] %{+Q,+E}[var(txn.word)] %[var(txn.none)]\"\n" +
      "  acl one path_beg /one\n  acl one hdr(host) -i one.example\n  acl two var(txn.word) -m beg /two\n" +
      kConnectionRules + kRequestRules +
      "  http-response set-header x-status %[status]\n"
      "  http-response deny if { res.hdr(bad) -m found }\n"
      "  http-response return status 200 if { hdr(odd) 1 }\n"
      "  http-response set-var(res.kind) res.hdr(content-type),word(1,/)\n"
      "  http-response add-header x-kind \"%[var(res.kind)] %[var(req.n)] %[var(sess.from)] %[method] %ST\"\n"
      "  use_backend one if one !two\n"
      "  use_backend two if two or { path_beg /deux }\n"
      "  use_backend %[path,field(2,/),lower] unless { path / } or { path_beg /x }\n"
      "  default_backend three\n"
      "backend one\n  http-request set-header backend one\n  tcp-request content reject if { req.hdr(x) -m len 77 }\n"
      "  tcp-response content close if { res.len gt 5 } { res.payload(0,1) -m found }\n"
      "  tcp-response content accept if { res.payload_lv(0,1) -m bin 00 } or { res.ssl_hello_type 2 } or { "
      "rep_ssl_hello_type 2 }\n  http-request deny if { query -m found }\n"
      "backend two\n  http-response redirect location /gone if { status 404 }\n"
      "  http-response del-header x- -m beg\n"
      "backend three\nlisten l\n  bind :81\n  http-request set-header l 1\n  http-response allow\n");
}

const char* const kRequests[] = {
    "GET / HTTP/1.1\r\n",
    "GET /one/A%20b?a=b&c HTTP/1.1\r\nx: a, \"b,c\"\r\nx: 5\r\nn: 3, -7\r\ngone: 1\r\nbegun: 1\r\nend: 1\r\nmidday: "
    "1\r\nregex: 1\r\n",
    "POST /two?q HTTP/1.0\r\nx: 192.0.2.9\r\ncookie: c=1; d=2\r\n",
    "GET /denied HTTP/1.1\r\n",
    "GET /tarred HTTP/1.1\r\n",
    "GET /tarred2 HTTP/1.1\r\n",
    "GET /rejected HTTP/1.1\r\n",
    "GET /dropped HTTP/1.1\r\n",
    "GET /content HTTP/1.1\r\n",
    "GET /slow/x HTTP/1.1\r\n",
    "GET /a.secret HTTP/1.1\r\n",
    "GET /shell HTTP/1.1\r\n",
    "GET /x/made/y HTTP/1.1\r\nx: z\r\n",
    "GET /123 HTTP/1.1\r\n",
    "GET /1234 HTTP/1.1\r\n",
    "GET /abc HTTP/1.1\r\nhost: HOST\r\n",
    "GET /abcd HTTP/1.1\r\nhost: www.SECURE.example:8080\r\n",
    "GET /five5 HTTP/1.1\r\nx: 5\r\n",
    "GET /number HTTP/1.1\r\nn: 101\r\n",
    "GET /address HTTP/1.1\r\nn: 1\r\nx: 192.0.2.7, z\r\nx: 5\r\n",
    "GET /old?a=c HTTP/1.1\r\n",
    "GET /olden?a=b HTTP/1.1\r\n",
    "GET http://one.example/p?a=b HTTP/1.1\r\nhost: one.example\r\n",
    "GET /deux/x HTTP/1.1\r\n",
    "GET /TWO/x?y HTTP/1.1\r\n",
    "GET /nowhere/x HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "GET /xyz HTTP/1.1\r\nx: \r\n",
};
const char* const kResponses[] = {
    "HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-type: text/html\r\nx-a: 1\r\n",
    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nbad: x\r\n",
    "HTTP/1.0 500 Oops\r\nodd: 2, 1\r\n",
};

struct Pair {
  Running running;
  std::unique_ptr<EvaluatorMachine> evaluator;
  std::unique_ptr<ProgramMachine> interpreter;

  Pair(const std::string& text, const compiler::FinaliseOptions& options, opt::PassSet passes)
      : running(text, options, passes) {
    INFO(running.wrong);
    REQUIRE(running.wrong.empty());
    const abi::ImageView plan = running.text->compiled.plan->view();
    evaluator = std::make_unique<EvaluatorMachine>(*running.text->compiled.config, plan);
    interpreter = std::make_unique<ProgramMachine>("interpreter", plan, std::move(running.engine));
  }
};

TEST_CASE("the evaluator says of every request what the interpreter says") {
  for (const auto& [suspend, passes] : {std::pair(false, opt::PassSet::none()), std::pair(true, opt::PassSet::none()),
                                        std::pair(false, opt::PassSet::all()), std::pair(true, opt::PassSet::all())}) {
    Pair pair(whole(), {.suspend_everywhere = suspend}, passes);
    for (const char* const request : kRequests) {
      for (const char* const response : kResponses) {
        for (const std::uint32_t frontend : {0u, 4u}) {
          Traffic traffic;
          traffic.request = std::string(request) + "\r\n";
          traffic.response = std::string(response) + "\r\n";
          traffic.client = frontend == 0 ? "10.1.2.3" : "2001:db8::1";
          const std::string told = journey(*pair.evaluator, frontend, traffic);
          INFO(traffic.request);
          CHECK(told != "unreadable\n");
          CHECK(told == journey(*pair.interpreter, frontend, traffic));
        }
      }
    }
  }
}

// What the configuration above uses, so that a new row asks for a place in it.
TEST_CASE("the configuration uses every supported fetch, converter, match method, action and alias") {
  const Running running(whole(), {}, opt::PassSet::none());
  REQUIRE(running.wrong.empty());
  const auto image = running.program.view();
  std::set<std::pair<abi::Op, std::uint16_t>> seen;
  for (const abi::Step& step : image.rows(image.root<abi::Program>().steps)) {
    seen.emplace(step.op, step.a);
    if (step.op == abi::Op::redirect) seen.emplace(abi::Op::act, static_cast<std::uint16_t>(abi::ActionId::redirect));
    if (step.op == abi::Op::stop) seen.emplace(abi::Op::act, static_cast<std::uint16_t>(abi::ActionId::allow));
    if (step.op == abi::Op::stop) seen.emplace(abi::Op::act, static_cast<std::uint16_t>(abi::ActionId::accept));
    if (step.op == abi::Op::reply || step.op == abi::Op::quit) seen.emplace(abi::Op::act, step.a);
  }
  const auto uses = [&](abi::Op op, auto id) { return seen.contains({op, static_cast<std::uint16_t>(id)}); };
  const auto each = [](auto count, auto check) {
    for (std::uint16_t at = 0; at < static_cast<std::uint16_t>(count); ++at) check(static_cast<decltype(count)>(at));
  };
  each(abi::FetchId::count_, [&](abi::FetchId id) {
    // The resolver writes that of the request or of the response for them.
    const bool is_either = id == abi::FetchId::hdr || id == abi::FetchId::payload || id == abi::FetchId::payload_lv;
    if (!is_either) CHECK_MESSAGE(uses(abi::Op::fetch, id), abi::name_of(id));
  });
  each(abi::ConverterId::count_,
       [&](abi::ConverterId id) { CHECK_MESSAGE(uses(abi::Op::convert, id), abi::name_of(id)); });
  each(abi::ActionId::count_, [&](abi::ActionId id) { CHECK_MESSAGE(uses(abi::Op::act, id), abi::name_of(id)); });
  each(abi::AliasId::count_, [&](abi::AliasId id) { CHECK_MESSAGE(uses(abi::Op::text_alias, id), abi::name_of(id)); });
  for (std::uint16_t at = 0; at <= static_cast<std::uint16_t>(abi::Match::domain); ++at) {
    const auto match = static_cast<abi::Match>(at);
    if (match != abi::Match::binary) CHECK_MESSAGE(uses(abi::Op::test, match), abi::to_string(match));
  }
}

}  // namespace
}  // namespace hawser::test
