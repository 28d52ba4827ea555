// Conditions of `.if`, read and answered in one walk over the text:
//
//   any  = all ("||" all)*      all = term ("&&" term)*
//   term = "!" term | "(" any ")" | INTEGER | NAME ["(" ARG,… ")"]
//
// Blanks may stand before every term and operator. A predicate's arguments have the grammar of a sample's
// (calls.h). Nesting is bounded, since the text may be hostile.
#include "grammar/predicate.h"

#include "grammar/calls.h"

namespace hawser::grammar {

namespace {

constexpr std::size_t kDepthMax = 100;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

struct Builtin {
  std::string_view name;
  std::size_t arguments;
};
constexpr Builtin kBuiltins[] = {{"defined", 1}, {"streq", 2}, {"strneq", 2}, {"strstr", 2}};

class PredicateReader {
 public:
  PredicateReader(std::string_view text, const Environment& environment, const Reader::Predicate& predicate)
      : text_(text), environment_(environment), predicate_(predicate) {}

  std::variant<bool, PredicateError> read() {
    skip_blanks();
    if (at_ == text_.size()) return false;
    const bool holds = any();
    if (!error_) {
      skip_blanks();
      if (at_ < text_.size()) {
        fail(at_, fmt::format("unexpected character '{}' at the end of conditional expression '{}'", text_[at_], text_));
      }
    }
    if (error_) return std::move(*error_);
    return holds;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
  }

  bool fail(std::size_t at, std::string text) {
    if (!error_) error_ = PredicateError{std::move(text), at};
    return false;
  }

  bool unparsable(std::size_t at) {
    return fail(at, fmt::format("unparsable conditional expression '{}'", text_.substr(at)));
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  bool any() {
    bool holds = all();
    while (!error_ && take("||")) {
      const bool next = all();
      holds = holds || next;
    }
    return holds;
  }

  bool all() {
    bool holds = term();
    while (!error_ && take("&&")) {
      const bool next = term();
      holds = holds && next;
    }
    return holds;
  }

  bool term() {
    skip_blanks();
    const std::size_t begin = at_;
    bool negated = false;
    while (take("!")) negated = !negated;
    skip_blanks();
    if (at_ == text_.size()) return unparsable(begin);
    return negated != operand();
  }

  bool operand() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (c == '(') return parenthesised();
    if (is_digit(c) || ((c == '-' || c == '+') && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return integer();
    const CallText call = read_call(text_, at_);
    if (call.name.empty()) return unparsable(begin);
    at_ = call.end;
    for (const Builtin& builtin : kBuiltins) {
      if (builtin.name == call.name) return built_in(builtin, call);
    }
    std::vector<std::string> arguments;
    for (const CallArgument& argument : call.arguments) arguments.push_back(argument.text);
    const std::optional<bool> answer = predicate_ ? predicate_(call.name, arguments) : std::nullopt;
    if (!answer) return unparsable(begin);
    return call.closed ? *answer : not_closed(call);
  }

  bool parenthesised() {
    const std::size_t begin = at_++;
    if (depth_ == kDepthMax) return fail(begin, fmt::format("too many nested parentheses, max is {}", kDepthMax));
    ++depth_;
    const bool holds = any();
    --depth_;
    if (error_) return false;
    if (!take(")")) {
      return fail(begin, fmt::format("expected ')' after conditional expression '{}'", text_.substr(begin)));
    }
    return holds;
  }

  bool integer() {
    bool zero = true;
    if (!is_digit(text_[at_])) ++at_;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) zero = zero && text_[at_] == '0';
    return !zero;
  }

  static std::string used_in(const CallText& call) {
    return fmt::format("in argument {} of predicate '{}' used in conditional expression", 1, call.name);
  }

  bool not_closed(const CallText& call) { return fail(call.end, fmt::format("expected ')' {}", used_in(call))); }

  bool built_in(const Builtin& builtin, const CallText& call) {
    if (!call.closed) return not_closed(call);
    const std::size_t given = call.arguments.size();
    if (given > builtin.arguments) {
      const std::size_t at = call.arguments[builtin.arguments].begin - 1;  // the comma
      return fail(at, fmt::format("expected ')' before '{}' {}", text_.substr(at), used_in(call)));
    }
    if (given < builtin.arguments && builtin.name != "defined") {
      const std::size_t at = call.has_parentheses ? call.end - 1 : call.end;
      return fail(at, fmt::format("missing arguments (got {}/{}), type 'string' expected {}", given, builtin.arguments,
                                  used_in(call)));
    }
    const auto argument = [&](std::size_t i) { return std::string_view(call.arguments[i].text); };
    if (builtin.name == "defined") return given == 1 && environment_.get(argument(0)).has_value();
    if (builtin.name == "streq") return argument(0) == argument(1);
    if (builtin.name == "strneq") return argument(0) != argument(1);
    return argument(0).find(argument(1)) != std::string_view::npos;
  }

  std::string_view text_;
  const Environment& environment_;
  const Reader::Predicate& predicate_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::optional<PredicateError> error_;
};

}  // namespace

std::variant<bool, PredicateError> evaluate(std::string_view condition, const Environment& environment,
                                            const Reader::Predicate& predicate) {
  return PredicateReader(condition, environment, predicate).read();
}

}  // namespace hawser::grammar
