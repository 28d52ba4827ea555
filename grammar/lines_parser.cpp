// The grammar of lines.
//
// A line is blanks and words in turn, then perhaps a comment, then its end. A word is a run of pieces without
// a blank between them: quoted text, escapes, plain bytes. Content ends at LF, and, as in haproxy 2.6, at a CR
// in or right behind a word, and at a NUL, quotes or no quotes; what follows these up to the LF is ignored like
// a comment. A CR among blanks is one of them.
//
// Blanks are eaten by `indent` and `gap` alone. Every byte string is a line: where a piece is malformed, a rule of its own
// takes the bytes as plain text and its action reports the mistake. No rule looks further than the end of the
// line, and the one that may look that far in vain (an unmatched brace) then takes all of it, so that reading
// takes linear time.
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/lines_builder.h"

namespace hawser::grammar::ast {

namespace {

namespace rules {
using namespace tao::pegtl;  // NOLINT(google-build-using-namespace)

struct line_end : sor<string<'\r', '\n'>, one<'\n'>> {};
struct content_byte : not_one<'\r', '\n', '\0'> {};
struct blank : sor<one<' ', '\t', '\v', '\f'>, seq<not_at<line_end>, one<'\r'>>> {};
struct indent : star<blank> {};
struct gap : opt<not_at<one<'\r'>>, plus<blank>> {};
struct lone_backslash : one<'\\'> {};

struct hex_escape : seq<string<'\\', 'x'>, xdigit, xdigit> {};
struct bad_hex : string<'\\', 'x'> {};
struct bare_escape : seq<one<'\\'>, one<' ', '\\', 't', 'n', 'r', '#', '\'', '"'>> {};
struct quoted_escape : seq<one<'\\'>, one<' ', '\\', 't', 'n', 'r', '#', '\'', '"', '$'>> {};

struct pseudo_name : sor<TAO_PEGTL_STRING("FILE"), TAO_PEGTL_STRING("LINE"), TAO_PEGTL_STRING("SECTION")> {};
struct pseudo : seq<one<'.'>, pseudo_name, not_at<identifier_other>> {};
struct name : sor<pseudo, identifier> {};
struct many : string<'[', '*', ']'> {};
struct fallback : seq<one<'-'>, star<not_one<'}', '\r', '\n', '\0'>>> {};
struct braced : seq<string<'$', '{'>, name, opt<many>, opt<fallback>, one<'}'>> {};
struct bare : seq<one<'$'>, name> {};
struct variable : sor<braced, bare> {};
struct bad_name : seq<one<'$'>, opt<one<'{'>>, not_at<name>> {};
struct bad_expansion : seq<string<'$', '{'>, name, not_at<many>, at<one<'['>>> {};
struct unmatched_brace : seq<string<'$', '{'>, star<content_byte>> {};

struct double_open : one<'"'> {};
struct double_close : one<'"'> {};
struct double_plain : plus<not_one<'"', '\\', '$', '\r', '\n', '\0'>> {};
struct no_double_close : success {};
struct reference : sor<variable, bad_name, bad_expansion, unmatched_brace> {};
struct double_piece : sor<double_plain, quoted_escape, hex_escape, bad_hex, lone_backslash, reference> {};
struct double_quoted : seq<double_open, star<double_piece>, sor<double_close, no_double_close>> {};

struct single_open : one<'\''> {};
struct single_close : one<'\''> {};
struct single_plain : plus<not_one<'\'', '\r', '\n', '\0'>> {};
struct no_single_close : success {};
struct single_quoted : seq<single_open, opt<single_plain>, sor<single_close, no_single_close>> {};

struct bare_plain : plus<not_one<' ', '\t', '\v', '\f', '\r', '\n', '\0', '#', '"', '\'', '\\'>> {};
struct piece : sor<bare_plain, double_quoted, single_quoted, bare_escape, hex_escape, bad_hex, lone_backslash> {};
struct word : plus<piece> {};

struct scope : seq<at<one<'['>>, plus<content_byte>> {};
struct tail : plus<not_at<line_end>, any> {};
struct line : seq<indent, sor<scope, star<word, gap>>, opt<tail>, opt<line_end>, eof> {};
}  // namespace rules

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

template <class Input>
std::string_view matched(const Input& in) {
  return {in.begin(), in.size()};
}

template <SegmentKind kind>
struct Segments {
  template <class Input>
  static void apply(const Input& in, LineBuilder& builder) {
    builder.segment(kind, matched(in));
  }
};
template <>
struct Action<rules::bare_plain> : Segments<SegmentKind::plain> {};
template <>
struct Action<rules::double_plain> : Segments<SegmentKind::plain> {};
template <>
struct Action<rules::single_plain> : Segments<SegmentKind::plain> {};
template <>
struct Action<rules::bare_escape> : Segments<SegmentKind::escape> {};
template <>
struct Action<rules::quoted_escape> : Segments<SegmentKind::escape> {};
template <>
struct Action<rules::hex_escape> : Segments<SegmentKind::escape> {};
template <>
struct Action<rules::lone_backslash> : Segments<SegmentKind::plain> {};
template <>
struct Action<rules::variable> : Segments<SegmentKind::variable> {};
template <>
struct Action<rules::scope> : Segments<SegmentKind::scope> {};

template <void (LineBuilder::*Method)(std::string_view)>
struct Calls {
  template <class Input>
  static void apply(const Input& in, LineBuilder& builder) {
    (builder.*Method)(matched(in));
  }
};
template <>
struct Action<rules::indent> : Calls<&LineBuilder::gap> {};
template <>
struct Action<rules::gap> : Calls<&LineBuilder::gap> {};
template <>
struct Action<rules::double_open> : Calls<&LineBuilder::open_double> {};
template <>
struct Action<rules::double_close> : Calls<&LineBuilder::close_double> {};
template <>
struct Action<rules::single_open> : Calls<&LineBuilder::open_single> {};
template <>
struct Action<rules::single_close> : Calls<&LineBuilder::close_single> {};
template <>
struct Action<rules::bad_hex> : Calls<&LineBuilder::bad_hex> {};
template <>
struct Action<rules::bad_name> : Calls<&LineBuilder::bad_name> {};
template <>
struct Action<rules::bad_expansion> : Calls<&LineBuilder::bad_expansion> {};
template <>
struct Action<rules::unmatched_brace> : Calls<&LineBuilder::unmatched_brace> {};
template <>
struct Action<rules::no_double_close> : Calls<&LineBuilder::unmatched_quote> {};
template <>
struct Action<rules::no_single_close> : Calls<&LineBuilder::unmatched_quote> {};
template <>
struct Action<rules::tail> : Calls<&LineBuilder::tail> {};
template <>
struct Action<rules::line_end> : Calls<&LineBuilder::terminator> {};

}  // namespace

void read_line(std::string_view text, LineBuilder& builder) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> in(text.data(), text.size(), "");
  HAWSER_CHECK((tao::pegtl::parse<rules::line, Action>(in, builder)));
}

std::size_t analyze_lines() { return tao::pegtl::analyze<rules::line>(-1); }

}  // namespace hawser::grammar::ast
