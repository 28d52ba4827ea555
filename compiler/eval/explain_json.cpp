// The explanation for programs: one JSON object.
#include <fmt/format.h>

#include "compiler/eval/explanation.h"
#include "grammar/diagnostics.h"

namespace hawser::eval {
namespace {

using grammar::json_string;

// Members and elements in the order in which they are written; commas are its affair.
class Json {
 public:
  void begin(char bracket) {
    separate();
    text_ += bracket;
    fresh_ = true;
  }
  void begin(std::string_view key, char bracket) {
    name(key);
    text_ += bracket;
    fresh_ = true;
  }
  void end(char bracket) {
    text_ += bracket;
    fresh_ = false;
  }
  void put(std::string_view key, std::string_view value) { name(key), text_ += json_string(value); }
  void put(std::string_view key, const char* value) { put(key, std::string_view(value)); }
  void put(std::string_view key, bool value) { name(key), text_ += value ? "true" : "false"; }
  void put(std::string_view key, std::uint64_t value) { name(key), text_ += fmt::format("{}", value); }
  void put_null(std::string_view key) { name(key), text_ += "null"; }
  std::string take() { return std::move(text_) + "\n"; }

 private:
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  void name(std::string_view key) {
    separate();
    text_ += json_string(key);
    text_ += ':';
  }

  std::string text_;
  bool fresh_ = true;
};

std::string_view word(abi::Truth truth) {
  return truth == abi::Truth::yes ? "yes" : truth == abi::Truth::no ? "no" : "unknown";
}

void put(Json& json, const Explanation::Message& message) {
  json.put("line", message.line);
  json.begin("fields", '[');
  for (const auto& [name, value] : message.fields) {
    json.begin('{');
    json.put("name", name);
    json.put("value", value);
    json.end('}');
  }
  json.end(']');
  if (!message.body.empty()) json.put("body", message.body);
}

void put(Json& json, std::string_view key, const std::optional<Explanation::Message>& message) {
  if (!message) return;
  json.begin(key, '{');
  put(json, *message);
  json.end('}');
}

void put(Json& json, const Explanation::Test& test) {
  json.begin('{');
  json.put("expression", test.expression);
  json.put("method", test.method);
  json.put("place", test.place);
  json.put("patterns", static_cast<std::uint64_t>(test.patterns));
  json.put("result", word(test.truth));
  json.begin("values", '[');
  for (const Explanation::Value& value : test.values) {
    json.begin('{');
    if (value.present) {
      json.put("type", value.type);
      json.put("value", value.text);
    } else {
      json.put_null("value");
    }
    json.put("matched", value.matched);
    if (value.matched && !value.pattern_place.empty()) {
      json.put("pattern", value.pattern);
      json.put("pattern_place", value.pattern_place);
    }
    json.end('}');
  }
  json.end(']');
  json.end('}');
}

void put(Json& json, const Explanation::Rule& rule) {
  json.begin('{');
  json.put("rule", rule.text);
  json.put("place", rule.place);
  json.put("applies", rule.applies);
  if (!rule.effect.empty()) json.put("effect", rule.effect);
  if (!rule.terms.empty()) {
    json.put("condition", rule.unless ? "unless" : "if");
    json.begin("terms", '[');
    for (const Explanation::Term& term : rule.terms) {
      json.begin('{');
      json.put("term", term.text);
      json.put("alternative", static_cast<std::uint64_t>(term.group));
      json.put("reached", term.reached);
      if (term.reached) {
        json.put("result", word(term.truth));
        json.begin("tests", '[');
        for (const Explanation::Test& test : term.tests) put(json, test);
        json.end(']');
      }
      json.end('}');
    }
    json.end(']');
  }
  json.end('}');
}

void put(Json& json, std::string_view key, const Explanation::Proxy& proxy) {
  json.begin(key, '{');
  json.put("kind", proxy.kind);
  json.put("name", proxy.name);
  json.put("place", proxy.place);
  json.put("why", proxy.why);
  json.end('}');
}

void put_servers(Json& json, const Explanation& said) {
  json.put("balance", said.balance);
  json.begin("servers", '[');
  for (const Explanation::Server& server : said.servers) {
    json.begin('{');
    json.put("name", server.name);
    json.put("address", server.address);
    json.put("weight", std::uint64_t{server.weight});
    json.put("place", server.place);
    json.put("used", server.unused.empty());
    if (!server.unused.empty()) json.put("unused", server.unused);
    json.end('}');
  }
  json.end(']');
}

void put(Json& json, const Explanation::Answer& answer) {
  json.begin("answer", '{');
  json.put("status", std::uint64_t{answer.status});
  json.put("source", answer.source);
  json.put("silent", answer.silent);
  if (!answer.silent) put(json, answer.message);
  if (!answer.verbatim.empty()) json.put("file", answer.verbatim);
  json.end('}');
}

}  // namespace

std::string to_json(const Explanation& said) {
  Json json;
  json.begin('{');
  if (said.is_http) put(json, "request", said.request);
  json.put("client", said.client);
  json.put("local", said.local);
  put(json, "frontend", said.frontend);
  if (!said.note.empty()) json.put("note", said.note);
  json.begin("rulesets", '[');
  for (const Explanation::Ruleset& set : said.rulesets) {
    json.begin('{');
    json.put("point", set.point);
    json.put("proxy", set.proxy);
    json.begin("rules", '[');
    for (const Explanation::Rule& rule : set.rules) put(json, rule);
    json.end(']');
    json.put("not_reached", static_cast<std::uint64_t>(set.not_reached));
    json.end('}');
  }
  json.end(']');
  if (said.backend) {
    put(json, "backend", *said.backend);
    put_servers(json, said);
  } else if (said.chooses_backend) {
    json.put_null("backend");
  }
  put(json, "forwarded", said.forwarded);
  if (said.answer) put(json, *said.answer);
  put(json, "response", said.response);
  json.end('}');
  return json.take();
}

}  // namespace hawser::eval
