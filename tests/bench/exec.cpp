// How long a ruleset takes, in this process and without a socket: nanoseconds a run, without and with the compiler's
// passes, interpreted and as native code.
//
//   bench_exec [MILLISECONDS [WORD [JITC-OPTION…]]]   of each figure; those rulesets alone whose title has the word
//
// Each line is one ruleset, compiled from a configuration and run again and again about the same request, as an exchange
// runs it: one frame, an arena that is reset in between. Options (--effort 2) go to hawser-jitc.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/compile_text.h"
#include "tests/support/native.h"
#include "tests/support/world.h"

namespace {

using namespace hawser;  // NOLINT(google-build-using-namespace)

struct Case {
  std::string title;
  std::string lines;  // of the frontend
  abi::EntryPoint point = abi::EntryPoint::http_request;
  std::string host = "www.example.com";
  std::string target = "/a/path/of/some/length?with=a&query=string";
};

std::string header_rules() {
  std::string lines;
  for (int at = 0; at < 20; ++at) lines += fmt::format("  http-request set-header x-added-{} value-{}\n", at, at);
  return lines;
}

std::string computed_rules() {
  std::string lines;
  for (int at = 0; at < 20; ++at)
    lines += fmt::format("  http-request set-header x-added-{} \"%[src]:%[req.hdr(user-agent)]\"\n", at);
  return lines;
}

std::string set_rules(const char* criterion, const char* form) {
  std::string line = fmt::format("  http-request deny if {{ {}", criterion);
  for (int at = 0; at < 50; ++at) line += " " + fmt::format(fmt::runtime(form), at);
  return line + " }\n";
}

// Conditions of every common kind, none of which holds.
std::string mixed_rules() {
  std::string lines;
  for (int at = 0; at < 64; ++at) {
    static constexpr const char* kForms[] = {
        "path_beg /old-{0}/ /older-{0}/",
        "hdr(host) -i www{0}.example.org",
        "src 10.{0}.0.0/16",
        "path_end .php{0}",
        "method PUT",
        "hdr_beg(host) -i api{0}.",
        "path /exactly/this/{0}",
        "dst_port 90{0}",
    };
    lines += "  http-request deny if { " + fmt::format(fmt::runtime(kForms[at % 8]), at) + " }\n";
  }
  return lines;
}

// use_backend rules by a condition with a number in it; the request is that of rule `at`.
Case choice(const std::string& title, std::size_t count, std::size_t at, const std::string& condition) {
  std::string lines;
  for (std::size_t rule = 0; rule < count; ++rule) {
    lines += fmt::format("  use_backend b if {}\n", fmt::format(fmt::runtime(condition), fmt::arg("n", rule)));
  }
  return {fmt::format("{} of {} rules: {}", title, count, fmt::format(fmt::runtime(condition), fmt::arg("n", "N"))),
          lines, abi::EntryPoint::choose_backend, fmt::format("site{}.example.com", at),
          fmt::format("/app{}/index.html", at)};
}

std::vector<Case> choices() {
  std::vector<Case> all;
  for (const char* condition : {"{{ hdr(host) -i site{n}.example.com }}", "{{ path_beg /app{n}/ }}",
                                "{{ hdr(host) -i site{n}.example.com }} {{ path_beg /app{n}/ }}",
                                "{{ hdr(host) -m end example.com }} {{ path_beg /app{n}/ }}"}) {
    for (const std::size_t count : {1, 2, 3, 4, 6, 8, 64, 1'000, 10'000}) {
      all.push_back(choice("first", count, 0, condition));
      if (count > 1) all.push_back(choice("last", count, count - 1, condition));
    }
  }
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all = choices();
  const std::vector<Case> rules = {
      {"64 mixed rules, none of them", mixed_rules()},
      {"20 set-header of a constant", header_rules()},
      {"20 set-header of an address and a field", computed_rules()},
      {"an ACL of 50 path prefixes, none of them", set_rules("path_beg", "/prefix-{}/")},
      {"an ACL of 50 networks, none of them", set_rules("src", "10.{}.0.0/16")},
      {"an ACL of 50 host names, none of them", set_rules("req.hdr(host) -i", "www{}.example.org")},
      {"an ACL of 50 regular expressions, none of them", set_rules("path_reg", "^/dir{}/[a-z]+$")},
      {"option httplog", "  log 127.0.0.1 local0\n  option httplog\n", abi::EntryPoint::log},
  };
  all.insert(all.end(), rules.begin(), rules.end());
  return all;
}

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Makes native code for the program and puts it in, if hawser-jitc was built.
bool go_native(const test::Running& running, const std::vector<std::string>& options) {
  const char* const jitc = HAWSER_JITC;
  if (*jitc == 0) return false;
  const test::MemoryFile code;
  if (test::run_jitc(jitc, running.program.bytes(), code, options) != 0) return false;
  code.seal();
  const Status installed = running.engine->install_native(code.descriptor());
  if (!installed) fmt::print(stderr, "{}\n", installed.error().message);
  return installed.ok();
}

// A ruleset as one engine runs it, about one request.
class Contestant {
 public:
  Contestant(const Case& one, opt::PassSet passes)
      : running_(test::http_config("frontend f\n  bind :80\n" + one.lines + "backend b\n"), {}, passes),
        request_line_("GET " + one.target + " HTTP/1.1") {
    if (!running_.wrong.empty()) {
      fmt::print(stderr, "{}\n", running_.wrong);
      std::exit(1);
    }
    for (const auto& [name, value] : {std::pair{"host", one.host.c_str()},
                                      {"user-agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/115.0"},
                                      {"accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
                                      {"accept-language", "en-US,en;q=0.5"},
                                      {"accept-encoding", "gzip, deflate"},
                                      {"cookie", "session=0123456789abcdef; theme=dark"},
                                      {"cache-control", "no-cache"}}) {
      world_.add(name, value);
    }
    world_.set_request("GET", one.target);
    world_.exchange.request_line = request_line_;
    subject_ = world_.subject();
    subject_.installed = running_.installed.get();
    subject_.now = world_.session.accepted = world_.exchange.began = io::Now{1'000'000, 1'700'000'000'000'000'000};
    subject_.arena = &arena_;
    fields_ = world_.request.fields;
    entry_ = &running_.engine->entry(0, one.point);
  }

  bool go_native(const std::vector<std::string>& options) { return ::go_native(running_, options); }

  // Runs it for a while; the exchange's own work around a run is small beside it. The best of all rounds counts: the rest
  // is what else the machine did.
  void round(double milliseconds) {
    const double begin = thread_ns();
    double now = begin;
    std::size_t runs = 0;
    for (; now - begin < milliseconds * 1e6; now = thread_ns()) {
      for (int at = 0; at < 32; ++at) turn();
      runs += 32;
    }
    const double took = (now - begin) / static_cast<double>(runs);
    if (best_ == 0 || took < best_) best_ = took;
  }
  double best() const noexcept { return best_; }  // ns a run; 0: it was never run

 private:
  void turn() {
    world_.request.fields = fields_;
    arena_.reset();
    running_.engine->run(*entry_, world_.worker, subject_, world_.frame, 0);
  }

  test::Running running_;
  std::string request_line_;
  test::World world_;
  Arena arena_;
  exec::Subject subject_;
  std::vector<http::Field> fields_;
  const abi::Entry* entry_ = nullptr;
  double best_ = 0;
};

}  // namespace

int main(int count, char** words) {
  const double milliseconds = count > 1 ? std::atof(words[1]) : 50;
  const std::string_view word = count > 2 ? words[2] : "";
  const std::vector<std::string> options(words + std::min(count, 3), words + count);
  constexpr int kRounds = 10;
  fmt::print("ns:   plain  passes, native: plain  passes, times faster in all\n");
  for (const Case& one : cases()) {
    if (one.title.find(word) == std::string::npos) continue;
    Contestant plain(one, opt::PassSet::none());
    Contestant improved(one, opt::PassSet::all());
    Contestant native_plain(one, opt::PassSet::none());
    Contestant native(one, opt::PassSet::all());
    std::vector<Contestant*> all{&plain, &improved};
    for (Contestant* each : {&native_plain, &native}) {
      if (each->go_native(options)) all.push_back(each);
    }
    for (int round = 0; round < kRounds; ++round) {
      for (Contestant* each : all) each->round(milliseconds / kRounds);
    }
    const double gain = native.best() == 0 ? 0 : plain.best() / native.best();
    fmt::print("{:>11.0f} {:>7.0f} {:>14.0f} {:>7.0f} {:>8.1f}  {}\n", plain.best(), improved.best(),
               native_plain.best(), native.best(), gain, one.title);
  }
  return 0;
}
