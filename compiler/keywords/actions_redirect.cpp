// Redirections: `http-request redirect`, `http-response redirect`, and the `redirect` keyword.
#include <fmt/format.h>

#include "compiler/keywords/actions.h"

namespace hawser::compiler {
namespace {

using Kind = abi::Redirect::Kind;

struct KindRow {
  std::string_view name;
  Kind kind;
};
constexpr KindRow kKinds[] = {{"location", Kind::location}, {"prefix", Kind::prefix}, {"scheme", Kind::scheme}};
constexpr std::uint16_t kCodes[] = {301, 302, 303, 307, 308};

class RedirectionReader {
 public:
  RedirectionReader(ActionWords& words, bool is_format) : words_(words), is_format_(is_format) {}

  bool read(model::Rule& rule) {
    while (const grammar::Word* word = words_.next()) {
      if (words_.next_is_condition()) {
        if (!read_condition(rule)) return false;
        break;
      }
      if (!read_option(*word)) return false;
    }
    if (target_ == nullptr) {
      words_.refuse(words_.action().span, "redirection type expected ('prefix', 'location', or 'scheme')");
      return false;
    }
    if (words_.in_response() && redirect_.kind != Kind::location) {
      words_.refuse(kind_word_->span, "response only supports redirect type 'location'");
      return false;
    }
    if (!read_target()) return false;
    rule.redirect = std::move(redirect_);
    return true;
  }

 private:
  bool read_option(const grammar::Word& word) {
    ++words_.at;
    for (const KindRow& row : kKinds) {
      if (row.name != word.text) continue;
      redirect_.kind = row.kind;
      kind_word_ = &word;
      return (target_ = argument(word)) != nullptr;
    }
    if (word.text == "code") return read_code(word);
    if (word.text == "drop-query") return redirect_.drop_query = true;
    if (word.text == "append-slash") return redirect_.append_slash = true;
    if (word.text == "set-cookie" || word.text == "clear-cookie") {
      const grammar::Word* const cookie = argument(word);
      if (cookie == nullptr) return false;
      redirect_.set_cookie = cookie->text;
      redirect_.clear_cookie = word.text == "clear-cookie";
      return true;
    }
    if (word.text == "ignore-empty" || word.text == "keep-query") {
      return words_.not_supported(word.span, fmt::format("the redirect option '{}'", word.text)), false;
    }
    words_.refuse(word.span,
                  fmt::format("expects 'code', 'prefix', 'location', 'scheme', 'set-cookie', 'clear-cookie', "
                              "'drop-query', 'ignore-empty' or 'append-slash' (was '{}')",
                              word.text));
    return false;
  }

  // The word behind `option`; null after a message.
  const grammar::Word* argument(const grammar::Word& option) {
    const grammar::Word* const word = words_.next();
    if (word == nullptr) {
      words_.refuse(option.span, fmt::format("missing argument for '{}'", option.text));
    } else {
      ++words_.at;
    }
    return word;
  }

  bool read_code(const grammar::Word& option) {
    const grammar::Word* const word = argument(option);
    if (word == nullptr) return false;
    const LooseInteger number = read_loose_integer(word->text);
    for (const std::uint16_t code : kCodes) {
      if (number.value != code) continue;
      redirect_.code = code;
      return true;
    }
    words_.refuse(
        word->span,
        fmt::format("'code': unsupported HTTP code '{}' (must be one of 301, 302, 303, 307 or 308)", word->text));
    return false;
  }

  bool read_condition(model::Rule& rule) {
    Where where = words_.where();
    where.voice.before += "error in condition: ";
    auto condition = resolve_condition(words_.context(), words_.line(), words_.at, where);
    if (!condition) return false;
    rule.condition = std::move(*condition);
    words_.at = words_.line().words.size();
    return true;
  }

  bool read_target() {
    if (is_format_) {
      auto format = resolve_format(words_.context(), *target_, words_.where());
      if (!format) return false;
      redirect_.target = std::move(*format);
      return true;
    }
    model::FormatPart& part = redirect_.target.parts.emplace_back();
    part.text = target_->text;
    part.span = redirect_.target.span = target_->span;
    return true;
  }

  ActionWords& words_;
  bool is_format_;
  model::Redirect redirect_;
  const grammar::Word* kind_word_ = nullptr;
  const grammar::Word* target_ = nullptr;
};

}  // namespace

bool read_redirection(ActionWords& words, model::Rule& rule, bool is_format) {
  return RedirectionReader(words, is_format).read(rule);
}

bool read_redirect_action(ActionWords& words, model::Rule& rule) { return read_redirection(words, rule, true); }

}  // namespace hawser::compiler
