// Rule actions: one row each, with the function that reads its words.
//
// To add one: its row in runtime/abi/actions.def, a reader in the file of its family (actions_headers.cpp …),
// and a line of kActions in actions.cpp. The dispatch does the rest: it looks the word up, calls the reader,
// and reads the condition that follows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler/resolve/rules.h"

namespace hawser::compiler {

// The words of one rule's line while its action reads them.
class ActionWords {
 public:
  ActionWords(ReadContext& cx, const grammar::Line& line, std::size_t keyword_at, model::Ruleset ruleset);

  ReadContext& context() noexcept { return cx_; }
  const Where& where() const noexcept { return where_; }
  model::Ruleset ruleset() const noexcept { return ruleset_; }
  bool in_response() const noexcept {
    return ruleset_ == model::Ruleset::http_response || ruleset_ == model::Ruleset::tcp_response;
  }
  // One of the rulesets of TCP, whose messages have another form.
  bool in_tcp() const noexcept { return ruleset_ >= model::Ruleset::tcp_connection; }
  const grammar::Line& line() const noexcept { return line_; }
  const grammar::Word& action() const noexcept { return line_.words[keyword_at_]; }
  // "http-request set-header", as the messages call it.
  std::string title() const;

  // The next word, or null at the end; an empty word is the end, as it is for HAProxy.
  const grammar::Word* next() const noexcept { return word(at); }
  const grammar::Word* word(std::size_t index) const noexcept;
  bool next_is(std::string_view text) const noexcept;
  bool next_is_condition() const noexcept { return next_is("if") || next_is("unless"); }

  grammar::Diagnostic& refuse(grammar::Span span, std::string_view reason);
  grammar::Diagnostic& not_supported(grammar::Span span, std::string_view what);

  std::size_t at;  // of the next word

 private:
  ReadContext& cx_;
  const grammar::Line& line_;
  std::size_t keyword_at_;
  model::Ruleset ruleset_;
  Where where_;
};

// Reads what stands behind the action's name into `rule`; false after a message. The condition is left to the
// dispatch unless the action reads it itself.
using ActionReader = bool (*)(ActionWords& words, model::Rule& rule);

bool read_reply_action(ActionWords& words, model::Rule& rule);     // deny, return, tarpit
bool read_redirect_action(ActionWords& words, model::Rule& rule);  // redirect
bool read_field_action(ActionWords& words, model::Rule& rule);     // set-header, add-header
bool read_del_header(ActionWords& words, model::Rule& rule);
bool read_set_var(ActionWords& words, model::Rule& rule);
bool read_plain_action(ActionWords& words, model::Rule& rule);    // allow, accept, reject: no words of their own
bool read_address_action(ActionWords& words, model::Rule& rule);  // set-src, set-dst-port
bool read_silent_drop(ActionWords& words, model::Rule& rule);

// TYPE TARGET and options of a redirection, and its condition, from words.at on. `is_format`: targets are log
// formats (http-request redirect), or texts (the redirect keyword).
bool read_redirection(ActionWords& words, model::Rule& rule, bool is_format);

// The action names of a ruleset that HAProxy knows and hawser does not carry out.
std::vector<std::string_view> later_actions(model::Ruleset ruleset);

}  // namespace hawser::compiler
