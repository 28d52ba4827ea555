// Random configurations, and requests for them: weighted over everything that rules may say.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/program.h"
#include "tests/support/machines.h"

namespace hawser::test {

// A configuration as lines, so that a part of it can be left out.
struct Configuration {
  std::vector<std::string> lines;
  std::string text() const;
};

struct GeneratorOptions {
  // What haproxy can be asked: one client, no clock, counters or ports in what is answered, no number that man/guide/differences.md
  // lists; `@LISTENER@` and `@SERVER@` where its addresses go.
  bool for_haproxy = false;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed, GeneratorOptions options = {}) : random_(seed), options_(options) {}

  Configuration configuration();
  Traffic traffic();

 private:
  // rules_generator_expressions.cpp
  std::string fetch(abi::EntryPoint point);
  std::string fetch_arguments(abi::FetchId fetch);
  std::string converters();
  std::string sample(abi::EntryPoint point);
  std::string format(abi::EntryPoint point);
  std::string flags();
  std::string log_format();

  // rules_generator_conditions.cpp
  std::string criterion(abi::EntryPoint point, std::string& method);
  std::string pattern(std::string_view criterion, std::string_view method);
  std::string test(abi::EntryPoint point);
  std::string term(abi::EntryPoint point);
  std::string condition(abi::EntryPoint point);

  // rules_generator.cpp
  void defaults();
  void frontend(std::string_view name);
  void backend(std::size_t number);
  void rules(abi::EntryPoint point, std::size_t count);
  std::string action(abi::EntryPoint point);
  std::string reply(bool deny);
  std::string redirection(abi::EntryPoint point);
  void run_of_backends();
  void run_of_rules();
  std::vector<std::string> run_of_tests(std::size_t count);
  void connection_rules();
  void content_rules();
  std::string extra_end(abi::EntryPoint point);
  void use_backend_lines();
  void line(std::string text) { out_.lines.push_back(std::move(text)); }
  std::string backend_name();
  std::string request_target();
  std::string field_value();

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class Values>
  auto any(const Values& values) {
    return values[below(std::size(values))];
  }

  std::mt19937_64 random_;
  GeneratorOptions options_;
  Configuration out_;
  std::size_t backends_ = 0;
  std::size_t acls_ = 0;
  bool in_backend_ = false;
};

}  // namespace hawser::test
