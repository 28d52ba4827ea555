// Small random configurations whose rules look at the same few values again and again, and requests for them: what passes
// over the rules must not change the answer of.
#pragma once

#include <random>
#include <string>

#include <fmt/format.h>

#include "tests/support/compile_text.h"
#include "tests/support/world.h"

namespace hawser::test {

class RandomRules {
 public:
  explicit RandomRules(unsigned seed) : random_(seed) {}

  // One frontend and four backends. Runs of rules with one shape stand beside rules of any shape.
  std::string configuration() {
    std::string text = "frontend f\n  bind :80\n";
    for (int at = 0; at < kAcls; ++at) {
      for (unsigned lines = 1 + below(3); lines > 0; --lines) text += fmt::format("  acl a{} {}\n", at, test());
    }
    for (unsigned count = below(8); count > 0; --count) text += rules("http-request");
    for (unsigned count = below(6); count > 0; --count) text += backend_rules();
    for (unsigned count = below(3); count > 0; --count) text += rules("http-response");
    for (char name = 'a'; name < 'e'; ++name) text += fmt::format("backend {}\n", name);
    return http_config(text);
  }

  void fill(World& world) {
    world.set_request(below(2) == 0 ? "GET" : "POST", world.arena.copy("/" + value() + (below(2) == 0 ? "/x" : "")));
    world.session.client = SocketAddress::ip(*IpAddress::parse(address()), 40000);
    for (const char* name : {"x", "y", "host"}) {
      while (below(3) != 0) {
        const std::string first = value();
        world.add(name, world.arena.copy(below(3) == 0 ? first + ", " + value() : first));
        world.response.add(world.arena, name, world.arena.copy(value()));
      }
    }
    if (below(2) == 0) world.txn.set("v", abi::Sample::text(world.arena.copy(value())), world.arena);
    world.response.status = below(2) == 0 ? 200 : 404;
  }

  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

 private:
  static constexpr int kAcls = 5;

  std::string value() {
    static constexpr const char* kValues[] = {"a", "b", "ab", "A", "aB.c", "b.ab", "1", "7", "12"};
    return kValues[below(9)];
  }
  std::string values() {
    std::string text = value();
    while (below(3) == 0) text += ' ' + value();
    return text;
  }
  std::string address() {
    static constexpr const char* kAddresses[] = {"10.0.0.1", "10.1.0.1", "192.0.2.1", "::ffff:10.0.0.1", "2001:db8::1"};
    return kAddresses[below(5)];
  }
  std::string network() {
    static constexpr const char* kNetworks[] = {"10.0.0.0/8", "10.0.0.0/16", "192.0.2.1", "2001:db8::/32", "0.0.0.0/0"};
    return kNetworks[below(5)];
  }
  std::string range() {
    static constexpr const char* kRanges[] = {"0", "1", "2", "1:2", "ge 1", "lt 2", "7", "5:12"};
    return kRanges[below(8)];
  }
  std::string test_of(unsigned kind) {
    const char* field = below(4) == 0 ? "y" : "x";
    const char* fold = below(3) == 0 ? " -i" : "";
    switch (kind) {
      case 0:
      case 1: return fmt::format("hdr({}){} {}", field, fold, values());
      case 2: return fmt::format("hdr({}) -m beg{} {}", field, fold, values());
      case 3: return fmt::format("hdr_end({}){} {}", field, fold, values());
      case 4: return fmt::format("path_beg /{}", value());
      case 5: return fmt::format("path{} /{} /{}/x", fold, value(), value());
      case 6: return fmt::format("src {}", network());
      case 7: return fmt::format("req.hdr_cnt({}) {}", field, range());
      case 8: return fmt::format("hdr_sub({}) {}", field, value());
      case 9: return fmt::format("hdr({}),lower -m str {}", field, values());
      case 10: return fmt::format("var(txn.v) -m str {}", values());
      case 11: return fmt::format("hdr({}) -m int {}", field, range());
      case 12: return fmt::format("hdr({}) -m len {}", field, range());
      case 13: return fmt::format("hdr({}) -m found", field);
      case 14: return below(2) == 0 ? "always_true" : "int(0),add(1) -m bool";
      default: return fmt::format("method {}", below(2) == 0 ? "GET" : "POST");
    }
  }
  std::string test() { return test_of(below(16)); }
  std::string term(unsigned kind) {
    const char* negated = below(5) == 0 ? "!" : "";
    if (below(3) == 0) return fmt::format("{}a{}", negated, below(kAcls));
    return fmt::format("{}{{ {} }}", negated, test_of(kind));
  }
  std::string condition(unsigned kind) {
    std::string text = below(8) == 0 ? " unless" : " if";
    unsigned terms = 0;  // a line has 64 words
    do {
      if (terms > 0) text += " ||";
      text += ' ' + term(kind);
      for (++terms; terms < 6 && below(3) == 0; ++terms) text += ' ' + term(below(16));
    } while (terms < 6 && below(4) == 0);
    return text;
  }
  std::string action(bool response) {
    switch (below(9)) {
      case 0: return fmt::format("set-header {} {}", below(2) == 0 ? "x" : "y", value());
      case 1: return fmt::format("add-header {} %[hdr(x)]-%[str({}),upper]", below(2) == 0 ? "x" : "log", value());
      case 2: return fmt::format("del-header {}", below(2) == 0 ? "x" : "y");
      case 3: return fmt::format("set-var(txn.v) str({})", value());
      case 4: return fmt::format("set-var(txn.v) hdr(x),lower");
      case 5: return fmt::format("add-header log {}%[var(txn.v)]%[hdr(y)]", value());
      case 6: return below(4) == 0 ? "deny" : "add-header log denied";
      case 7: return below(4) == 0 ? "allow" : "add-header log allowed";
      default: return response ? "add-header log %[status]" : "add-header log %[src]%[path]";
    }
  }
  std::string rules(std::string_view ruleset) {
    std::string text;
    const unsigned kind = below(16);
    for (unsigned count = below(2) == 0 ? 1 : 2 + below(8); count > 0; --count) {
      text += fmt::format("  {} {}", ruleset, action(ruleset == "http-response"));
      text += below(8) == 0 ? "\n" : condition(kind) + "\n";
    }
    return text;
  }
  std::string backend_rules() {
    std::string text;
    const unsigned kind = below(16);
    const bool plain = below(2) == 0;
    for (unsigned count = below(2) == 0 ? 1 : 2 + below(8); count > 0; --count) {
      std::string backend(1, static_cast<char>('a' + below(4)));
      if (!plain && below(6) == 0) backend = "%[hdr(x),lower]";
      const std::string one = fmt::format(" if {{ {} }}", test_of(kind));
      text += fmt::format("  use_backend {}{}\n", backend, plain ? one : condition(kind));
    }
    return text;
  }

  std::mt19937 random_;
};

}  // namespace hawser::test
