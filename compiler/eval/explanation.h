// What `hawser explain` has to say, as data; explain_text.cpp and explain_json.cpp write it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/eval/walk.h"
#include "grammar/source.h"

namespace hawser::eval {

struct Explanation {
  using Fields = std::vector<std::pair<std::string, std::string>>;

  // One value that a test saw.
  struct Value {
    bool present = false;
    std::string type;  // as HAProxy names it: "str", "ipv4" …
    std::string text;
    bool matched = false;
    std::string pattern;  // that matched first; empty where the method has none
    std::string pattern_place;
  };
  struct Test {
    std::string expression;  // as written
    std::string method;      // of -m
    std::string place;
    std::size_t patterns = 0;
    abi::Truth truth = abi::Truth::no;
    std::vector<Value> values;
  };
  struct Term {
    std::string text;  // "!local", "{ path_beg /api/ }"
    std::size_t group = 0;
    bool reached = false;  // else something before it has decided
    abi::Truth truth = abi::Truth::no;
    std::vector<Test> tests;
  };
  struct Rule {
    std::string text;  // its line
    std::string place;
    bool applies = false;
    bool unless = false;
    std::vector<Term> terms;
    std::string effect;  // of one that applies
  };
  struct Ruleset {
    std::string title;  // "http-request rules of frontend web"
    std::string point;  // "http_request"
    std::string proxy;
    std::vector<Rule> rules;
    std::size_t not_reached = 0;  // rules behind the one that ended it
  };
  struct Server {
    std::string name;
    std::string address;
    std::uint32_t weight = 1;
    std::string unused;  // why it gets no traffic; empty: it does
    std::string place;
  };
  struct Proxy {
    std::string kind;
    std::string name;
    std::string place;
    std::string why;
  };
  struct Message {
    std::string line;
    Fields fields;
    std::string body;
  };
  struct Answer {
    std::uint16_t status = 0;
    bool silent = false;   // the connection is closed without a word
    std::string source;    // "the rule's own", "an error file of …", "the built-in page"
    std::string verbatim;  // an error file, whole
    Message message;
  };

  Message request;  // as it came
  bool is_http = true;
  std::string note;  // what was left out; mostly empty
  std::string client;
  std::string local;
  Proxy frontend;
  std::vector<Ruleset> rulesets;
  std::optional<Proxy> backend;
  bool chooses_backend = false;  // the rules got as far as that
  std::string balance;
  std::vector<Server> servers;
  std::optional<Message> forwarded;  // the request as a server gets it
  std::optional<Message> response;   // the server's, behind the rules
  std::optional<Answer> answer;      // ours
};

// What the answers of ours look like, which the runtime knows.
struct Answers {
  std::string_view (*reason)(std::uint16_t status);  // "Forbidden"
  std::string_view (*page)(std::uint16_t status);    // the built-in error page
};

// "web.cfg:12".
std::string place_of(const grammar::Sources& sources, const grammar::Span& span);

// A line of a configuration without the blanks around it.
std::string line_at(const grammar::Sources& sources, const grammar::Span& span);

// The rulesets of a walk.
std::vector<Explanation::Ruleset> explained(const Walk& walk, const model::Config& config,
                                            const grammar::Sources& sources);

Explanation::Proxy explained(const model::Proxy& proxy, const grammar::Sources& sources);

// The form for people, and for programs.
std::string to_text(const Explanation& explanation, bool colour);
std::string to_json(const Explanation& explanation);

}  // namespace hawser::eval
