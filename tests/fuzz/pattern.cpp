// One pattern, as a line of a pattern file or a command gives it, by each method. Holds: no byte string crashes the parsers;
// what they take is sound (a range is not upside down, a network has no bit beyond its prefix); a pattern that is an address
// matches itself; and what an operator makes of a number is a range or refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"
#include "runtime/kernels/patterns.h"

namespace {

using namespace hawser;
using abi::Match;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_network(std::string_view text, const kernels::Network& network) {
  const bool v4 = network.address.family == IpAddress::Family::v4;
  require(v4 || network.address.family == IpAddress::Family::v6);
  require(network.prefix_bits <= (v4 ? 32 : 128));
  for (unsigned bit = network.prefix_bits; bit < 128; ++bit) {
    require((network.address.bytes[bit / 8] & (0x80u >> bit % 8)) == 0);
  }
  const auto address = IpAddress::parse(text.substr(0, text.find('/')));
  require(address.has_value());
  require(kernels::same_prefix(address->bytes.data(), network.address.bytes.data(), network.prefix_bits));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto match = static_cast<Match>(data[0] % (static_cast<unsigned>(Match::domain) + 1));
  const auto how = static_cast<kernels::Operator>(data[0] / 16 % 6);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto parsed = kernels::parse_pattern(text, match, {.ignore_case = data[0] >= 128});
  if (!parsed) {
    require(!parsed.error().empty());
  } else if (match == Match::integer || match == Match::length) {
    require(parsed->range.low <= parsed->range.high);
  } else if (match == Match::ip) {
    check_network(text, parsed->network);
  } else if (match == Match::regex) {
    require(parsed->regex.has_value());
    static_cast<void>(parsed->regex->matches(text));
  }
  if (const auto meant = kernels::apply_operator(how, text)) {
    if (const auto range = kernels::parse_range(*meant)) require(range->low <= range->high);
  }
  return 0;
}
