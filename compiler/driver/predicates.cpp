// What `.if` and `-cc` may ask of us: which features we carry out, and whose language we speak.
#include <algorithm>
#include <array>
#include <charconv>

#include "compiler/driver/compile.h"

namespace hawser::compiler {
namespace {

// Of HAProxy's feature names, those that this program really has.
constexpr std::array<std::string_view, 4> kFeatures{"EPOLL", "GETADDRINFO", "THREAD", "CPU_AFFINITY"};
constexpr std::array<std::string_view, 3> kEnabled{"EPOLL", "GETADDRINFO", "REUSEPORT"};

template <std::size_t count>
bool holds(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "3.4", "3.4.0", "3.4-dev5" as numbers; development versions come before the release.
std::array<int, 4> version_of(std::string_view text) {
  std::array<int, 4> parts{0, 0, 0, 1'000'000};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t part = 0; part < 3 && at < end; ++part) {
    const auto [next, error] = std::from_chars(at, end, parts[part]);
    if (error != std::errc{}) break;
    at = next;
    if (at == end || *at != '.') break;
    ++at;
  }
  constexpr std::string_view kDev = "-dev";
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (rest.substr(0, kDev.size()) == kDev) {
    parts[3] = 0;
    std::from_chars(at + kDev.size(), end, parts[3]);
  }
  return parts;
}

}  // namespace

grammar::Reader::Predicate predicates() {
  return [](std::string_view name, const std::vector<std::string>& args) -> std::optional<bool> {
    const std::string_view first = args.empty() ? std::string_view() : std::string_view(args[0]);
    if (name == "feature") return holds(kFeatures, first);
    if (name == "enabled") return holds(kEnabled, first);
    if (name == "version_atleast") return version_of(kHaproxyVersion) >= version_of(first);
    if (name == "version_before") return version_of(kHaproxyVersion) < version_of(first);
    // We have no TLS library yet: none of them is at least, or before, or begins with anything.
    if (name == "openssl_version_atleast" || name == "openssl_version_before" || name == "ssllib_name_startswith" ||
        name == "awslc_api_atleast" || name == "awslc_api_before" || name == "fips_mode") {
      return false;
    }
    return std::nullopt;
  };
}

}  // namespace hawser::compiler
