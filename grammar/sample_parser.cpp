// The grammar of sample expressions: calls with commas between them.
//
// A name is a run of name bytes and may be empty, so that a missing one is reported by name. Inside
// parentheses, quotes and escapes are as on the line, but for \#, \$ and \xHH; commas part arguments, blanks
// are data, parentheses do not nest. An argument that lacks its quote runs to the end of the text, and the
// call then lacks its ')'. Nothing is read twice: every choice is made by the next one or two bytes.
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/calls.h"

namespace hawser::grammar {

namespace {

namespace rules {
using namespace tao::pegtl;  // NOLINT(google-build-using-namespace)

struct name : star<sor<alnum, one<'_', '.', '-', '+'>>> {};

struct escape : seq<one<'\\'>, one<' ', '\\', 't', 'n', 'r', '\'', '"'>> {};
struct lone_backslash : one<'\\'> {};
struct bare_plain : plus<not_one<'\\', '"', '\'', ',', ')'>> {};
struct double_plain : plus<not_one<'\\', '"'>> {};
struct double_quoted : seq<one<'"'>, star<sor<double_plain, escape, lone_backslash>>, opt<one<'"'>>> {};
struct single_plain : plus<not_one<'\''>> {};
struct single_quoted : seq<one<'\''>, opt<single_plain>, opt<one<'\''>>> {};
struct argument : star<sor<bare_plain, escape, lone_backslash, double_quoted, single_quoted>> {};

struct open : one<'('> {};
struct close : one<')'> {};
struct missing_close : success {};
struct arguments : seq<open, argument, star<one<','>, argument>, sor<close, missing_close>> {};
struct call : seq<name, opt<arguments>> {};

// Commas without a call behind them stay for the chain's end.
struct comma : one<','> {};
struct chain : seq<call, star<plus<comma>, at<sor<alnum, one<'_', '.', '-', '+', '('>>>, call>> {};
struct trailing : star<comma> {};
}  // namespace rules

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

template <void (CallsBuilder::*Method)(std::string_view)>
struct Calls {
  template <class Input>
  static void apply(const Input& in, CallsBuilder& builder) {
    (builder.*Method)({in.begin(), in.size()});
  }
};
template <>
struct Action<rules::name> : Calls<&CallsBuilder::name> {};
template <>
struct Action<rules::open> : Calls<&CallsBuilder::open> {};
template <>
struct Action<rules::close> : Calls<&CallsBuilder::close> {};
template <>
struct Action<rules::missing_close> : Calls<&CallsBuilder::missing_close> {};
template <>
struct Action<rules::argument> : Calls<&CallsBuilder::argument> {};
template <>
struct Action<rules::escape> : Calls<&CallsBuilder::escape> {};
template <>
struct Action<rules::lone_backslash> : Calls<&CallsBuilder::plain> {};
template <>
struct Action<rules::bare_plain> : Calls<&CallsBuilder::plain> {};
template <>
struct Action<rules::double_plain> : Calls<&CallsBuilder::plain> {};
template <>
struct Action<rules::single_plain> : Calls<&CallsBuilder::plain> {};

using Input = tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy>;

}  // namespace

CallChain read_calls(std::string_view text, std::size_t at) {
  Input in(text.data() + at, text.size() - at, "");
  CallsBuilder builder(text);
  HAWSER_CHECK((tao::pegtl::parse<rules::chain, Action>(in, builder)));
  const char* const commas = in.current();
  HAWSER_CHECK((tao::pegtl::parse<rules::trailing>(in)));
  CallChain chain = builder.take(static_cast<std::size_t>(in.current() - text.data()));
  chain.commas = static_cast<std::size_t>(in.current() - commas);
  return chain;
}

CallText read_call(std::string_view text, std::size_t at) {
  Input in(text.data() + at, text.size() - at, "");
  CallsBuilder builder(text);
  HAWSER_CHECK((tao::pegtl::parse<rules::call, Action>(in, builder)));
  return std::move(builder.take(static_cast<std::size_t>(in.current() - text.data())).calls.front());
}

std::size_t analyze_sample() {
  return tao::pegtl::analyze<rules::chain>(-1) + tao::pegtl::analyze<rules::trailing>(-1);
}

}  // namespace hawser::grammar
