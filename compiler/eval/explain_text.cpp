// The explanation for people: aligned, with colours on a terminal.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "compiler/eval/explanation.h"

namespace hawser::eval {
namespace {

constexpr std::size_t kPlaceWidthMax = 32;  // longer ones push their lines to the right

enum class Style : std::uint8_t { heading, yes, no, quiet };

std::string_view code_of(Style style) {
  switch (style) {
    case Style::heading: return "\x1b[1m";
    case Style::yes: return "\x1b[32m";
    case Style::no: return "\x1b[31m";
    case Style::quiet: return "\x1b[2m";
  }
  return "";
}

// What came over the wire or from a file, so that it cannot move the cursor.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

class Writer {
 public:
  Writer(const Explanation& said, bool colour) : said_(said), colour_(colour) {
    for (const Explanation::Ruleset& set : said.rulesets) {
      for (const Explanation::Rule& rule : set.rules) place_width_ = std::max(place_width_, rule.place.size());
    }
    place_width_ = std::min(place_width_, kPlaceWidthMax);
  }

  std::string text() {
    if (said_.is_http) message("Request", said_.request);
    line("{}  {} -> {}", heading("Client"), said_.client, said_.local);
    proxy("Frontend", said_.frontend);
    if (!said_.note.empty()) line("{}  {}", heading("Note"), said_.note);
    for (const Explanation::Ruleset& set : said_.rulesets) {
      if (set.point != "http_response") ruleset(set);
    }
    if (said_.chooses_backend) backend();
    if (said_.forwarded) blank(), message("Sends", *said_.forwarded);
    for (const Explanation::Ruleset& set : said_.rulesets) {
      if (set.point == "http_response") ruleset(set);
    }
    if (said_.answer) answer(*said_.answer);
    if (said_.response) blank(), message("Response", *said_.response);
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void blank() { text_ += '\n'; }

  std::string styled(Style style, std::string_view text) const {
    return colour_ ? fmt::format("{}{}\x1b[0m", code_of(style), text) : std::string(text);
  }
  std::string truth(abi::Truth truth) const {
    if (truth == abi::Truth::yes) return styled(Style::yes, "yes");
    return truth == abi::Truth::no ? styled(Style::no, "no ") : "?  ";
  }

  // Titles take eight columns.
  std::string heading(std::string_view text) const { return styled(Style::heading, fmt::format("{:<8}", text)); }

  void message(std::string_view title, const Explanation::Message& message) {
    line("{}  {}", heading(title), printable(message.line));
    for (const auto& [name, value] : message.fields) line("          {}: {}", printable(name), printable(value));
    if (!message.body.empty()) body(message.body);
  }

  void body(std::string_view body) {
    blank();
    while (!body.empty()) {
      const std::size_t end = std::min(body.find('\n'), body.size());
      line("          {}", printable(body.substr(0, end)));
      body.remove_prefix(std::min(end + 1, body.size()));
    }
  }

  void proxy(std::string_view title, const Explanation::Proxy& proxy) {
    line("{}  {} {}  {}", heading(title), proxy.name,
         styled(Style::quiet, proxy.place.empty() ? "" : fmt::format("({})", proxy.place)), proxy.why);
  }

  void ruleset(const Explanation::Ruleset& set) {
    blank();
    line("{}", heading(set.title));
    for (const Explanation::Rule& one : set.rules) rule(one);
    if (set.not_reached > 0) {
      line("  {}", styled(Style::quiet, fmt::format("{} more {} not reached", set.not_reached,
                                                    set.not_reached == 1 ? "line is" : "lines are")));
    }
  }

  void rule(const Explanation::Rule& rule) {
    line("  {}  {}  {}", truth(rule.applies ? abi::Truth::yes : abi::Truth::no),
         styled(Style::quiet, fmt::format("{:<{}}", rule.place, place_width_)), printable(rule.text));
    std::size_t width = 0;
    for (const Explanation::Term& term : rule.terms) width = std::max(width, term.text.size());
    for (const Explanation::Term& one : rule.terms) term(one, std::min<std::size_t>(width, 40));
    if (!rule.effect.empty()) line("{}=> {}", indent(), printable(rule.effect));
  }

  std::string indent() const { return std::string(place_width_ + 9, ' '); }

  void term(const Explanation::Term& term, std::size_t width) {
    if (!term.reached) {
      line("{}{}  {:<{}}  {}", indent(), styled(Style::quiet, "-  "), printable(term.text), width,
           styled(Style::quiet, "not looked at"));
      return;
    }
    bool first = true;
    const auto row = [&](const std::string& what) {
      line("{}{}  {:<{}}  {}", indent(), first ? truth(term.truth) : "   ", first ? printable(term.text) : "", width,
           what);
      first = false;
    };
    for (const Explanation::Test& test : term.tests) {
      for (const Explanation::Value& one : test.values) row(value(test, one));
    }
    if (first) row("has no tests");
  }

  // "path_beg: \"/api/x\" is matched by \"/api/\" of web.cfg:3".
  std::string value(const Explanation::Test& test, const Explanation::Value& value) const {
    std::string what = fmt::format("{}: ", printable(test.expression));
    if (test.method == "found") return what + (value.matched ? quoted(value) + " is there" : "is not there");
    if (!value.present) return what + "has no value";
    what += quoted(value);
    if (test.method == "bool") return what;
    if (value.matched) {
      return what + fmt::format(" is matched by \"{}\" (-m {}) of {}", printable(value.pattern), test.method,
                                value.pattern_place);
    }
    if (test.patterns == 0) return what + ": there are no patterns";
    if (test.patterns == 1) return what + fmt::format(" is not matched (-m {})", test.method);
    return what + fmt::format(" is matched by none of {} patterns (-m {})", test.patterns, test.method);
  }

  static std::string quoted(const Explanation::Value& value) {
    if (value.type == "sint" || value.type == "ipv4" || value.type == "ipv6") return value.text;
    if (value.type == "bool") return value.text == "0" ? "false" : "true";
    return fmt::format("\"{}\"", printable(value.text));
  }

  void backend() {
    blank();
    if (!said_.backend) {
      line("{}  none: no use_backend line applies and there is no default_backend; the answer is 503",
           heading("Backend"));
      return;
    }
    proxy("Backend", *said_.backend);
    if (said_.answer && said_.servers.empty()) return;
    if (said_.servers.empty()) line("          it has no servers");
    std::size_t width = 0;
    for (const Explanation::Server& server : said_.servers) width = std::max(width, server.name.size());
    if (!said_.servers.empty()) line("          balance {} over", said_.balance);
    for (const Explanation::Server& server : said_.servers) {
      const std::string note = !server.unused.empty() ? fmt::format("no traffic: {}", server.unused)
                               : server.weight != 1   ? fmt::format("weight {}", server.weight)
                                                      : "";
      line("            {:<{}}  {}{}{}", server.name, width, server.address, note.empty() ? "" : "  ", note);
    }
  }

  void answer(const Explanation::Answer& answer) {
    blank();
    if (answer.silent) {
      line("{}  none: the connection is closed without a word ({})", heading("Answer"), answer.source);
      return;
    }
    message("Answer", answer.message);
    if (!answer.verbatim.empty()) body(answer.verbatim);
    if (!answer.source.empty()) line("          {}", styled(Style::quiet, fmt::format("({})", answer.source)));
  }

  const Explanation& said_;
  bool colour_;
  std::size_t place_width_ = 0;
  std::string text_;
};

}  // namespace

std::string to_text(const Explanation& explanation, bool colour) { return Writer(explanation, colour).text(); }

}  // namespace hawser::eval
