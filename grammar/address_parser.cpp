// The grammar of addresses: [PREFIX "@"] HOST [":" PORT].
//
// A prefix is a word of letters, digits and "+" before the first "@". The port is what follows the last ":"
// that has no "]" behind it: at each ":" the rule looks ahead to the next ":" or
// "]" and no further, so that reading takes linear time.
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/address_text.h"
#include "runtime/base/check.h"

namespace hawser::grammar {

namespace {

namespace rules {
using namespace tao::pegtl;  // NOLINT(google-build-using-namespace)

struct prefix : seq<alpha, star<sor<alnum, one<'+'>>>> {};
struct marked_prefix : seq<prefix, one<'@'>> {};
struct prefix_ahead : at<marked_prefix> {};

struct port : star<not_one<':', ']'>> {};
struct port_ahead : at<one<':'>, port, eof> {};
struct host_byte : seq<not_at<port_ahead>, any> {};
struct host : star<sor<plus<not_one<':'>>, host_byte>> {};
struct address : seq<opt<prefix_ahead, marked_prefix>, host, opt<one<':'>, port>, eof> {};
}  // namespace rules

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

template <>
struct Action<rules::prefix> {
  template <class Input>
  static void apply(const Input& in, AddressText& address) {
    address.prefix = {in.begin(), in.size()};
  }
};
template <>
struct Action<rules::host> {
  template <class Input>
  static void apply(const Input& in, AddressText& address) {
    address.host = {in.begin(), in.size()};
  }
};
template <>
struct Action<rules::port> {
  template <class Input>
  static void apply(const Input& in, AddressText& address) {
    address.port = std::string_view(in.begin(), in.size());
  }
};

}  // namespace

AddressText read_address(std::string_view text) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> in(text.data(), text.size(), "");
  AddressText address;
  HAWSER_CHECK((tao::pegtl::parse<rules::address, Action>(in, address)));
  return address;
}

std::size_t analyze_address() { return tao::pegtl::analyze<rules::address>(-1); }

}  // namespace hawser::grammar
