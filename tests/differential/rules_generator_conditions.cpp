// Criteria, patterns, tests and conditions.
#include <fmt/format.h>

#include "runtime/abi/rows.h"
#include "tests/differential/rules_generator.h"
#include "tests/differential/rules_words.h"

namespace hawser::test {
namespace {

struct Criterion {
  std::string_view name;
  abi::FetchId fetch;
  abi::Match match;
};
constexpr Criterion kCriteria[] = {
#define ACL(name, fetch, match) {name, abi::FetchId::fetch, abi::Match::match},
#include "compiler/resolve/acls.def"
#undef ACL
};

constexpr std::string_view kTextMethods[] = {"str", "str", "beg", "end", "sub", "dir", "dom", "reg", "len", "found"};

}  // namespace

using abi::SampleType;
using namespace words;  // NOLINT(google-build-using-namespace)

// `method`: what its patterns are for; with the -m that says so, where the name does not.
std::string Generator::criterion(abi::EntryPoint point, std::string& method) {
  if (one_in(3)) {
    const Criterion& row = any(kCriteria);
    if ((abi::row(row.fetch).available & abi::bit(point)) != 0) {
      method = abi::to_string(row.match);
      return std::string(row.name) + fetch_arguments(row.fetch);
    }
  }
  std::string text = fetch(point);
  const std::string name = text.substr(0, text.find('('));
  abi::FetchRow row;
  for (std::uint16_t at = 0; at < static_cast<std::uint16_t>(abi::FetchId::count_); ++at) {
    if (abi::name_of(static_cast<abi::FetchId>(at)) == name) row = abi::row(static_cast<abi::FetchId>(at));
  }
  // Where a converter has no result for one of several values, haproxy looks at no further one (man/guide/differences.md).
  if (!options_.for_haproxy || !row.many) text += converters();
  const SampleType type = row.result;
  const bool plain = text.find("),") == std::string::npos && name.size() == text.find_first_of("(") % (text.size() + 1);
  if (type == SampleType::sint && !one_in(4)) method = "int";
  if (type == SampleType::boolean && !one_in(4)) method = "bool";
  if (type == SampleType::address && !one_in(4)) method = "ip";
  if (method.empty()) method = one_in(8) ? "int" : one_in(12) ? "ip" : one_in(20) ? "bool" : any(kTextMethods);
  const bool usual = plain && type == SampleType::string && method == "str" && one_in(2);
  return usual ? text : fmt::format("{} -m {}", text, method);
}

std::string Generator::pattern(std::string_view criterion, std::string_view method) {
  if (method == "int" || method == "len") {
    // No length is below 0, but haproxy 2.6 compares without a sign then: `-m len lt 0` is always true there.
    const std::uint64_t number = method == "len" ? 1 + below(12) : below(12);
    switch (below(4)) {
      case 0: return fmt::format("{}:{}", below(4), 4 + below(20));
      case 1: return fmt::format("{} {}", any(std::to_array<std::string_view>({"gt", "ge", "lt", "le", "eq"})), number);
      default: return method == "int" ? std::string(any(kNumbers)) : std::to_string(number);
    }
  }
  if (method == "ip") return std::string(any(kNetworks));
  if (method == "reg") return fmt::format("'{}'", any(kExpressions));
  const bool is_path = criterion.starts_with("path") || criterion.starts_with("url");
  if (is_path && !one_in(6)) {
    std::string_view path = any(kPaths);
    if (method == "end" || method == "sub" || method == "dir" || method == "dom")
      path.remove_prefix(below(path.size()));
    return path.empty() ? "/" : std::string(path);
  }
  if (criterion.find("host") != std::string_view::npos && !one_in(6)) {
    std::string_view host = any(kHosts);
    if (method == "end" || method == "sub" || method == "dom") host.remove_prefix(below(host.size() - 1));
    return std::string(host);
  }
  if (criterion.starts_with("method")) return std::string(any(kMethods));
  return fmt::format("'{}'", any(kTexts));
}

std::string Generator::test(abi::EntryPoint point) {
  std::string method;
  std::string text = criterion(point, method);
  if (method == "found" || method == "bool") return text;
  if (one_in(4)) text += " -i";
  const std::string_view name = text;
  std::string patterns = " --";
  for (std::size_t count = one_in(12) ? 12 : 1 + below(3); count > 0; --count) patterns += ' ' + pattern(name, method);
  return text + patterns;
}

std::string Generator::term(abi::EntryPoint point) {
  const std::string negation = one_in(4) ? "!" : "";
  if (one_in(5)) return negation + std::string(any(kPredefined));
  if (acls_ > 0 && one_in(3)) return fmt::format("{}acl{}", negation, below(acls_));
  return fmt::format("{}{{ {} }}", negation, test(point));
}

std::string Generator::condition(abi::EntryPoint point) {
  std::string text = one_in(5) ? "unless" : "if";
  for (std::size_t groups = one_in(4) ? 2 : 1;;) {
    for (std::size_t terms = one_in(4) ? 2 : 1; terms > 0; --terms) text += ' ' + term(point);
    if (--groups == 0) return text;
    text += one_in(2) ? " or" : " ||";
  }
}

}  // namespace hawser::test
