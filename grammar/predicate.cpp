// Conditions of `.if`, read and answered in one walk over the text:
//
//   any  = all ("||" all)*      all = term ("&&" term)*
//   term = "!" term | "(" any ")" | INTEGER | NAME ["(" ARG,… ")"]
//
// Blanks may stand before every term and operator. A predicate's arguments have the grammar of a sample's
// (calls.h). Nesting is bounded, since the text may be hostile.
#include "grammar/predicate.h"

#include <algorithm>

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
        fail(at_,
             fmt::format("unexpected character '{}' at the end of conditional expression '{}'", text_[at_], text_));
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

  bool unparsable(std::size_t at, std::size_t shown) {
    return fail(at, fmt::format("unparsable conditional expression '{}'", text_.substr(shown)));
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  // Whether an operator stands here. One with nothing behind it is a mistake; haproxy 2.6 shows the text from
  // `shown` on.
  bool takes_operator(std::string_view token, std::size_t shown) {
    skip_blanks();
    const std::size_t at = at_;
    if (error_ || !take(token)) return false;
    skip_blanks();
    if (at_ < text_.size()) return true;
    return unparsable(at, token == "||" ? shown : at);
  }

  bool any() {
    skip_blanks();
    const std::size_t begin = at_;
    bool holds = all();
    while (takes_operator("||", begin)) {
      const bool next = all();
      holds = holds || next;
    }
    return holds;
  }

  bool all() {
    bool holds = term();
    while (takes_operator("&&", at_)) {
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
    if (at_ == text_.size()) return unparsable(begin, begin);
    return negated != operand(begin);
  }

  // `begin`: where the term begins, with its negations.
  bool operand(std::size_t begin) {
    const char c = text_[at_];
    if (c == '(') return parenthesised(begin);
    if (is_digit(c) || ((c == '-' || c == '+') && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return integer();
    const CallText call = read_call(text_, at_);
    if (call.name.empty()) return unparsable(begin, begin);
    at_ = call.end;
    for (const Builtin& builtin : kBuiltins) {
      if (builtin.name == call.name) return built_in(builtin, call);
    }
    std::vector<std::string> arguments;
    for (const CallArgument& argument : call.arguments) arguments.push_back(argument.text);
    const std::optional<bool> answer = predicate_ ? predicate_(call.name, arguments) : std::nullopt;
    if (!answer) return unparsable(begin, begin);
    return call.closed ? *answer : not_closed(call);
  }

  bool parenthesised(std::size_t begin) {
    const std::size_t open = at_++;
    if (depth_ == kDepthMax) return fail(open, fmt::format("too many nested parentheses, max is {}", kDepthMax));
    skip_blanks();
    if (at_ == text_.size()) return unparsable(begin, begin);
    ++depth_;
    const bool holds = any();
    --depth_;
    if (error_) return false;
    if (!take(")")) {
      return fail(begin, fmt::format("expected ')' after conditional expression '{}'", text_.substr(begin)));
    }
    return holds;
  }

  // Octal and hexadecimal too, by their prefixes, as in C.
  bool integer() {
    if (!is_digit(text_[at_])) ++at_;
    std::string_view digits = "0123456789";
    const std::string_view rest = text_.substr(at_);
    const std::string_view hex = "0123456789abcdefABCDEF";
    if (rest.size() > 2 && rest[0] == '0' && (rest[1] | 0x20) == 'x' && hex.find(rest[2]) != std::string_view::npos) {
      digits = hex;
      at_ += 2;
    } else if (rest[0] == '0') {
      digits = "01234567";
    }
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(digits, at_), text_.size());
    return text_.substr(begin, at_ - begin).find_first_not_of('0') != std::string_view::npos;
  }

  static std::string used_in(const CallText& call) {
    return fmt::format("in argument {} of predicate '{}' used in conditional expression", 1, call.name);
  }

  bool not_closed(const CallText& call) { return fail(call.end, fmt::format("expected ')' {}", used_in(call))); }

  bool built_in(const Builtin& builtin, const CallText& call) {
    const std::size_t given = call.arguments.size();
    if (given < builtin.arguments && builtin.name != "defined") {
      const std::size_t at = call.has_parentheses && call.closed ? call.end - 1 : call.end;
      return fail(at, fmt::format("missing arguments (got {}/{}), type 'string' expected {}", given, builtin.arguments,
                                  used_in(call)));
    }
    if (given > builtin.arguments) {
      const std::size_t at = call.arguments[builtin.arguments].begin - 1;  // the comma
      return fail(at, fmt::format("expected ')' before '{}' {}", text_.substr(at), used_in(call)));
    }
    if (!call.closed) return not_closed(call);
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
