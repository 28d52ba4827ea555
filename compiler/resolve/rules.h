// From the words of one line to typed expressions: every name looked up in its row, every argument checked,
// every fetch held against the point at which it is evaluated.
//
// Each function reports its mistakes, with HAProxy's text and a caret at the narrowest wrong word, and then
// returns nothing. `Where` says at which point of a proxy's life the result will run, which decides what is
// there to be fetched, and how the messages begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/keywords/arguments.h"
#include "compiler/model/config.h"
#include "grammar/expressions.h"
#include "grammar/reader.h"

namespace hawser::compiler {

// The place of an expression. The voice's `before` is "error detected in frontend 'web' while parsing
// 'http-request set-header' rule : ", its `after` the full stop.
struct Where {
  abi::EntryPoint point = abi::EntryPoint::http_request;
  Voice voice;
};

// `name` is "txn.name".
std::optional<model::Variable> parse_variable(ReadContext& cx, std::string_view name, grammar::Span span,
                                              const Voice& voice);

// The expression of words[at], and of the words behind it that begin with a converter's name: haproxy 2.6
// reads "path lower" as "path,lower". `at` moves behind them.
std::optional<model::SampleExpr> resolve_sample(ReadContext& cx, const std::vector<grammar::Word>& words,
                                                std::size_t& at, const Where& where);

// A log format; blanks are text unless `collapse_blanks`.
std::optional<model::Format> resolve_format(ReadContext& cx, const grammar::Word& word, const Where& where,
                                            bool collapse_blanks = false);

// The format of a proxy's log lines: parsed when the proxy's mode is known, from the line's words or from one
// of the built-in texts below. In TCP mode, aliases that need HTTP are errors, as in haproxy 2.6.
std::optional<model::Format> resolve_log_format(ReadContext& cx, const model::Proxy& proxy, const grammar::Word& word);

// HAProxy's `option httplog` and `option tcplog` (manual, 8.2), as a word with no place of its own but
// `span`.
inline constexpr std::string_view kHttpLogFormat =
    "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs "
    "%{+Q}r";
inline constexpr std::string_view kTcpLogFormat =
    "%ci:%cp [%t] %ft %b/%s %Tw/%Tc/%Tt %B %ts %ac/%fc/%bc/%sc/%rc %sq/%bq";
grammar::Word built_in_word(std::string_view text, grammar::Span span);

// CRITERION [FLAGS] [PATTERNS]: the words from `first` on, of the ACL `acl_name` ("": anonymous). Whether it
// can ever match is the condition's affair.
std::optional<model::Test> resolve_test(ReadContext& cx, const std::vector<grammar::Word>& words, std::size_t first,
                                        std::string_view acl_name, const Voice& voice);

// `if …` or `unless …` from words[first] to the end of the line. Warns of tests that can never match at
// `where`.
std::optional<model::Condition> resolve_condition(ReadContext& cx, const grammar::Line& line, std::size_t first,
                                                  const Where& where);

// The keywords. Each appends to cx.proxy what its line says.
void read_acl(ReadContext& cx, const grammar::Line& line);
void read_http_request(ReadContext& cx, const grammar::Line& line);
void read_http_response(ReadContext& cx, const grammar::Line& line);
void read_tcp_rule(ReadContext& cx, const grammar::Line& line, model::Ruleset ruleset);
void read_use_backend(ReadContext& cx, const grammar::Line& line);
void read_redirect(ReadContext& cx, const grammar::Line& line);
// Keeps the line's text; resolve_log_format reads it when the section is complete.
void read_log_format(ReadContext& cx, const grammar::Line& line);

}  // namespace hawser::compiler
