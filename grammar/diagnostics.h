// What the user should know about a configuration: collected in order, printed as HAProxy prints them,
// then with the source line, a caret under the narrowest wrong thing, and a hint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "grammar/source.h"

namespace hawser::grammar {

enum class Level : std::uint8_t { alert, warning, notice, diag };

// Where a message comes from decides its prefix, as in haproxy 2.6:
//   parsing: "config : parsing [FILE:LINE] : TEXT"     tokens: "config : parsing [FILE:LINE]: TEXT"
//   config:  "config : TEXT"                           process: "TEXT"
//   late:    "config : Parsing [FILE:LINE]: TEXT" (log formats, which it reads at the end of a section)
//   server:  "config : [FILE:LINE] : TEXT"
enum class Origin : std::uint8_t { parsing, tokens, config, process, late, server };

struct Label {
  Span span;
  std::string text{};
};

struct Diagnostic {
  Level level = Level::alert;
  Origin origin = Origin::parsing;
  bool fatal = true;         // an alert need not be fatal ("'maxconn' already specified. Continuing.")
  bool unsupported = false;  // hawser's own refusal of a word that HAProxy knows
  Span span;                 // may be invalid for config and process messages
  std::string text;
  std::vector<Label> labels = {};  // other places that explain it
  std::string hint = {};           // "did you mean 'deny'?"

  Diagnostic& label(Span where, std::string what);
  Diagnostic& with_hint(std::string what);
  // The hint "did you mean 'deny'?"; without a guess, none.
  Diagnostic& suggest(std::string_view guess);
  Diagnostic& not_fatal();
  Diagnostic& from(Origin where);
};

class Diagnostics {
 public:
  explicit Diagnostics(const Sources& sources) : sources_(sources) {}

  // The reference is good until the next diagnostic is added.
  Diagnostic& add(Diagnostic diagnostic);

  template <class... Args>
  Diagnostic& error(Span span, fmt::format_string<Args...> text, Args&&... args) {
    return add({.level = Level::alert, .span = span, .text = fmt::format(text, std::forward<Args>(args)...)});
  }
  template <class... Args>
  Diagnostic& warning(Span span, fmt::format_string<Args...> text, Args&&... args) {
    return add({.level = Level::warning,
                .fatal = false,
                .span = span,
                .text = fmt::format(text, std::forward<Args>(args)...)});
  }
  template <class... Args>
  Diagnostic& notice(Span span, fmt::format_string<Args...> text, Args&&... args) {
    return add(
        {.level = Level::notice, .fatal = false, .span = span, .text = fmt::format(text, std::forward<Args>(args)...)});
  }

  bool has_fatal() const noexcept { return fatal_count() != 0; }
  bool has_warning() const noexcept;
  std::size_t fatal_count() const noexcept;
  const std::vector<Diagnostic>& all() const noexcept { return all_; }
  const Sources& sources() const noexcept { return sources_; }

 private:
  friend class Within;
  const Sources& sources_;
  std::vector<Diagnostic> all_;
  std::size_t settled_fatals_ = 0;  // of all but the last one, which may still be made milder
  std::string prefix_;
  std::optional<Origin> origin_;
};

// While it lives, what is added to `diagnostics` gets `prefix` before its text (and `origin`), after the
// prefixes of those that live already. HAProxy names the place first: "error detected in frontend 'web' while
// parsing 'http-request deny' rule : …", where the expression grammars know only what stands after the colon.
class Within {
 public:
  Within(Diagnostics& diagnostics, std::string_view prefix, std::optional<Origin> origin = std::nullopt);
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within();

 private:
  Diagnostics& diagnostics_;
  std::size_t prefix_bytes_;
  std::optional<Origin> origin_;
};

// HAProxy's line, then ours, each with its line end. Without a pid (0) the level is not padded either:
// "[ALERT] config : …", as the golden tests compare it.
//   [ALERT]    (123) : config : parsing [web.cfg:2] : 'http-request' expects …
//       2 |     http-request dney if from_office
//         |                  ^~~~ did you mean 'deny'?
std::string render(const Diagnostic& diagnostic, const Sources& sources, int pid);

// One JSON object a diagnostic, for --diagnostics=json.
std::string render_json(const Diagnostic& diagnostic, const Sources& sources);

// A JSON string, quotes included; bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view text);

// The closest of `known` when it is close enough to be a likely slip of the keyboard; else empty.
std::string_view did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace hawser::grammar
