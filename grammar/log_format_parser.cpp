// The grammar of log formats, one item at a time.
//
//   item   = "%%" | "%" [ "(" NAME [":" TYPE] ")" ] [ "{" FLAGS "}" ] ( "[" | ALIAS ) | text
//
// A "%" before anything else is dropped and what follows is text, as in haproxy 2.6, which knows no
// "%(name)": a parenthesis that is not followed by a name, its end and an item is text too. At "[" the loop
// hands over to the grammar of samples and goes on behind the "]", so that brackets in arguments do no harm.
// Braces and names end at the first "}" and ")". A "{" or "(" without its end is looked for once: the first
// ends the reading, the second is then known to be text to the end (`names_close`).
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/log_format.h"

namespace hawser::grammar {

namespace {

namespace rules {
using namespace tao::pegtl;  // NOLINT(google-build-using-namespace)

struct percent : one<'%'> {};
struct text : plus<not_one<'%', ' '>> {};
struct blanks : plus<one<' '>> {};
struct literal_percent : percent {};
struct escaped_percent : seq<percent, literal_percent> {};

struct field_byte : sor<alnum, one<'_', '-', '.'>> {};
struct field_name : plus<field_byte> {};
struct field_type : plus<field_byte> {};
struct follows_name : at<sor<alnum, one<'{', '['>>> {};
struct field : seq<one<'('>, field_name, opt<one<':'>, field_type>, one<')'>> {};
struct field_ahead : at<field, follows_name> {};

struct braces : star<not_one<'}'>> {};
struct braces_end : one<'}'> {};
struct truncated_braces : success {};
struct modifier : seq<one<'{'>, braces, sor<braces_end, truncated_braces>> {};

struct bracket : one<'['> {};
struct alias : plus<alnum> {};
struct no_variable : success {};
struct truncated : success {};
struct blank_name : success {};
struct dropped : success {};

struct thing : sor<bracket, alias> {};
struct modified : seq<modifier, sor<thing, no_variable>> {};
struct named : seq<field_ahead, field, sor<modified, thing>> {};
struct end_of_text : seq<eof, truncated> {};
struct no_name : seq<at<one<' '>>, blank_name> {};
struct variable : seq<percent, sor<named, modified, thing, end_of_text, no_name, dropped>> {};
struct item : sor<text, blanks, escaped_percent, variable> {};
}  // namespace rules

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

template <void (LogFormatBuilder::*Method)(std::string_view)>
struct Calls {
  template <class Input>
  static void apply(const Input& in, LogFormatBuilder& builder) {
    (builder.*Method)({in.begin(), in.size()});
  }
};
template <>
struct Action<rules::text> : Calls<&LogFormatBuilder::text> {};
template <>
struct Action<rules::blanks> : Calls<&LogFormatBuilder::blanks> {};
template <>
struct Action<rules::literal_percent> : Calls<&LogFormatBuilder::text> {};
template <>
struct Action<rules::field_name> : Calls<&LogFormatBuilder::field_name> {};
template <>
struct Action<rules::field_type> : Calls<&LogFormatBuilder::field_type> {};
template <>
struct Action<rules::braces> : Calls<&LogFormatBuilder::braces> {};
template <>
struct Action<rules::bracket> : Calls<&LogFormatBuilder::sample> {};
template <>
struct Action<rules::alias> : Calls<&LogFormatBuilder::alias> {};
template <>
struct Action<rules::truncated> : Calls<&LogFormatBuilder::truncated> {};
template <>
struct Action<rules::truncated_braces> : Calls<&LogFormatBuilder::truncated_braces> {};
template <>
struct Action<rules::no_variable> : Calls<&LogFormatBuilder::no_variable> {};
template <>
struct Action<rules::blank_name> : Calls<&LogFormatBuilder::blank_name> {};

}  // namespace

void read_log_format(std::string_view text, LogFormatBuilder& builder) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> in(text.data(), text.size(), "");
  while (!in.empty() && !builder.failed()) {
    HAWSER_CHECK((tao::pegtl::parse<rules::item, Action>(in, builder)));
    const auto at = static_cast<std::size_t>(in.current() - text.data());
    if (builder.sample_end() > at) in.bump(builder.sample_end() - at);
  }
}

std::size_t analyze_log_format() { return tao::pegtl::analyze<rules::item>(-1); }

}  // namespace hawser::grammar
