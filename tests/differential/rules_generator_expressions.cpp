// Sample expressions and formats.
#include <fmt/format.h>

#include "runtime/abi/rows.h"
#include "tests/differential/rules_generator.h"
#include "tests/differential/rules_words.h"

namespace hawser::test {

namespace {

constexpr std::string_view kAliases[] = {"ci", "HM", "HP", "HU", "HV", "HQ", "HPO", "f", "ft", "r"};

}  // namespace

using abi::FetchId;
using namespace words;  // NOLINT(google-build-using-namespace)

std::string Generator::fetch_arguments(FetchId fetch) {
  const std::string_view name = abi::name_of(fetch);
  if (name.find("hdr") != std::string_view::npos) {
    if (one_in(40)) return "";
    std::string text(any(kFields));
    if (one_in(6)) text = one_in(2) ? "X" : "Host";
    const bool counts = name.find("cnt") != std::string_view::npos;
    if (counts || !one_in(4)) return fmt::format("({})", text);
    return fmt::format("({},{})", text, any(std::to_array<int>({1, 2, 3, -1, -2})));
  }
  if (name.find("cook") != std::string_view::npos) return one_in(10) ? "" : fmt::format("({})", any(kCookies));
  if (name.starts_with("url")) {
    if (name == "url") return "";
    const std::string_view parameter = any(kParameters);
    if (!options_.for_haproxy && one_in(5)) return fmt::format("({},,i)", parameter);  // newer than haproxy 2.6
    return any(std::vector<std::string>{fmt::format("({})", parameter), fmt::format("({})", parameter),
                                        fmt::format("({},;)", parameter), ""});
  }
  if (name.ends_with("payload")) return any(std::to_array<const char*>({"(0,0)", "(0,1)", "(1,3)", "(5,9)"}));
  if (name.ends_with("payload_lv"))
    return any(std::to_array<const char*>({"(0,1)", "(0,1,+1)", "(0,2,0)", "(1,1,-2)"}));
  switch (fetch) {
    case FetchId::bool_: return fmt::format("({})", any(std::to_array<const char*>({"0", "1", "true", "False"})));
    case FetchId::int_: return fmt::format("({})", any(kNumbers));
    case FetchId::str_: return fmt::format("({})", any(std::to_array<const char*>({"a", "abc", "A.b", "12", ""})));
    case FetchId::var:
      return one_in(4) ? fmt::format("({},else)", any(kVariables)) : fmt::format("({})", any(kVariables));
    default: return "";
  }
}

// One that exists at the point, as a rule; elsewhere it is absent, which must agree as well.
std::string Generator::fetch(abi::EntryPoint point) {
  for (;;) {
    const auto id = static_cast<FetchId>(below(static_cast<std::uint64_t>(FetchId::count_)));
    if ((abi::row(id).available & abi::bit(point)) == 0 && !one_in(30)) continue;
    const bool own = id == FetchId::src_port || id == FetchId::dst_port || id == FetchId::dst ||
                     id == FetchId::req_len || id == FetchId::req_len_legacy || id == FetchId::req_hdr_val ||
                     id == FetchId::hdr_val;
    const abi::Effect bytes = abi::Effect::request_body | abi::Effect::response_body;
    if (options_.for_haproxy && (own || abi::overlap(abi::row(id).reads, bytes))) continue;
    return std::string(abi::name_of(id)) + fetch_arguments(id);
  }
}

std::string Generator::converters() {
  std::string text;
  while (one_in(3)) {
    const auto id = static_cast<abi::ConverterId>(below(static_cast<std::uint64_t>(abi::ConverterId::count_)));
    const std::string_view name = abi::name_of(id);
    const std::string_view delimiters = any(std::to_array<std::string_view>({"/", ".", "ab", "-"}));
    switch (id) {
      case abi::ConverterId::field:
      case abi::ConverterId::word:
        text += fmt::format(",{}({},{})", name, any(std::to_array<int>({1, 2, 3, -1, -2})), delimiters);
        break;
      case abi::ConverterId::concat:
        text += any(std::vector<std::string>{",concat(z)", fmt::format(",concat(<,{},>)", any(kVariables)),
                                             fmt::format(",concat(,{})", any(kVariables))});
        break;
      case abi::ConverterId::add:
      case abi::ConverterId::sub:
        // Sums of two negative numbers are another difference that is listed.
        if (options_.for_haproxy) {
          text += fmt::format(",add({})", below(9));
        } else {
          text += fmt::format(",{}({})", name, one_in(3) ? any(kVariables) : any(kNumbers));
        }
        break;
      case abi::ConverterId::url_dec: text += one_in(2) ? ",url_dec" : ",url_dec(1)"; break;
      default: text += fmt::format(",{}", name); break;
    }
  }
  return text;
}

std::string Generator::sample(abi::EntryPoint point) { return fetch(point) + converters(); }

std::string Generator::flags() {
  if (!one_in(6)) return "";
  return fmt::format("{{{}}}", any(std::to_array<std::string_view>({"+Q", "+X", "+E", "+Q,+E", "-Q"})));
}

// A word in quotes.
std::string Generator::format(abi::EntryPoint point) {
  std::string text = "\"";
  for (std::size_t parts = 1 + below(3); parts > 0; --parts) {
    switch (below(4)) {
      case 0: text += any(std::to_array<std::string_view>({"a", "value ", "<", "%%", "x y"})); break;
      case 1:
        // What haproxy knows of the request's line in a backend depends on the frontend (man/guide/differences.md).
        if (options_.for_haproxy && in_backend_) {
          text += any(std::to_array<std::string_view>({"%ci", "%f", "%ft"}));
        } else {
          text += fmt::format("%{}{}", flags(), any(kAliases));
        }
        text += ' ';
        break;
      default: text += fmt::format("%{}[{}]", flags(), sample(point)); break;
    }
  }
  return text + "\"";
}

std::string Generator::log_format() {
  std::string text = "\"";
  for (std::size_t parts = 4 + below(20); parts > 0; --parts) {
    const auto id = static_cast<abi::AliasId>(below(static_cast<std::uint64_t>(abi::AliasId::count_)));
    switch (below(4)) {
      case 0: text += any(std::to_array<std::string_view>({" ", "  ", "a ", "[", "/"})); break;
      case 1: text += fmt::format("%{}[{}]", flags(), sample(abi::EntryPoint::log)); break;
      default: text += fmt::format("%{}{} ", flags(), abi::name_of(id)); break;
    }
  }
  return text + "\"";
}

}  // namespace hawser::test
