#include "compiler/keywords/arguments.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "runtime/base/check.h"

namespace hawser::compiler {
namespace {

std::string fill(std::string_view pattern, std::string_view word) { return fmt::format(fmt::runtime(pattern), word); }

std::string listed(std::span<const std::string_view> choices) {
  std::string text;
  for (const std::string_view choice : choices) {
    if (!text.empty()) text += ", ";
    text += fmt::format("'{}'", choice);
  }
  return text;
}

std::string choices_text(std::string_view keyword, std::span<const std::string_view> choices) {
  return fmt::format("'{}' only supports {}.", keyword, listed(choices));
}

void say_missing(ReadContext& cx, const Args& args, const Param& param) {
  const grammar::Span where = args.keyword_span();
  if (!param.missing.empty()) {
    refuse(cx, args.voice, where, fill(param.missing, args.keyword()));
  } else if (param.take == Take::choice) {
    refuse(cx, args.voice, where, choices_text(args.keyword(), param.choices));
  } else if (param.take == Take::integer || param.take == Take::loose_integer) {
    refuse(cx, args.voice, where, fmt::format("'{}' expects an integer argument.", args.keyword()));
  } else {
    refuse(cx, args.voice, where, fmt::format("'{}' expects <{}> as an argument.", args.keyword(), param.name));
  }
}

std::optional<std::int64_t> read_integer(ReadContext& cx, const Args& args, std::size_t at, const Param& param) {
  const std::string_view text = args.text(at);
  const LooseInteger read = read_loose_integer(text);
  if (!read.whole && param.take == Take::integer) {
    refuse(cx, args.voice, args.span(at),
           param.invalid.empty() ? fmt::format("'{}' expects an integer, not '{}'.", args.keyword(), text)
                                 : fill(param.invalid, text));
    return std::nullopt;
  }
  if (read.value < param.min || read.value > param.max) {
    refuse(cx, args.voice, args.span(at),
           param.out_of_range.empty()
               ? fmt::format("'{}' must be between {} and {} (was {})", args.keyword(), param.min, param.max, text)
               : fill(param.out_of_range, text));
    return std::nullopt;
  }
  if (!read.whole) {
    cx.diagnostics.notice(args.span(at), "'{}' : '{}' reads as {}, as in haproxy 2.6; newer versions refuse it.",
                          args.keyword(), text, read.value);
  }
  return read.value;
}

std::string_view largest(grammar::TimeUnit unit) noexcept {
  switch (unit) {
    case grammar::TimeUnit::us: return "2147483647 us or ~35.8 minutes";
    case grammar::TimeUnit::s: return "2147483647 s or ~68 years";
    default: return "2147483647 ms or ~24.8 days";
  }
}

std::optional<std::int64_t> read_duration(ReadContext& cx, const Args& args, std::size_t at, const Param& param) {
  const grammar::Word& word = args.word(at);
  const auto read = grammar::parse_duration(word.text, param.unit);
  if (read) {
    if (read->junk_at > 0) {
      cx.diagnostics
          .warning(
              word.part(read->junk_at, word.text.size() - read->junk_at),
              "unexpected character '{}' after the timer value '{}', only (us=microseconds,ms=milliseconds,"
              "s=seconds,m=minutes,h=hours,d=days) are supported. This will be reported as an error in next versions.",
              word.text[read->junk_at], word.text)
          .from(grammar::Origin::config);
    }
    return static_cast<std::int64_t>(read->count);
  }
  using Kind = grammar::NumberError::Kind;
  const Kind kind = read.error().kind;
  if (kind == Kind::overflow) {
    refuse(cx, args.voice, word.span,
           fmt::format("timer overflow in argument '{}' to '{}' (maximum value is {})", word.text, args.keyword(),
                       largest(param.unit)));
  } else if (kind == Kind::underflow) {
    refuse(cx, args.voice, word.span,
           fmt::format("timer underflow in argument '{}' to '{}' (minimum value is 1 ms)", word.text, args.keyword()));
  } else {
    const std::size_t wrong = std::min(read.error().at, word.text.size());
    const std::string_view character = std::string_view(word.text).substr(wrong, 1);
    refuse(cx, args.voice, word.part(wrong, character.size()),
           param.invalid.empty() ? fmt::format("unexpected character '{}' in '{}'", character, args.keyword())
                                 : fill(param.invalid, character));
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_size(ReadContext& cx, const Args& args, std::size_t at, const Param& param) {
  const auto read = grammar::parse_size(args.text(at));
  const std::int64_t value = read && *read <= INT64_MAX ? static_cast<std::int64_t>(*read) : INT64_MIN;
  if (read && value >= param.min && value <= param.max) return value;
  refuse(cx, args.voice, args.span(at),
         param.invalid.empty() ? fmt::format("'{}' expects a size, not '{}'.", args.keyword(), args.text(at))
                               : fill(param.invalid, args.text(at)));
  return std::nullopt;
}

std::optional<std::int64_t> read_choice(ReadContext& cx, const Args& args, std::size_t at, const Param& param) {
  const std::string_view text = args.text(at);
  const auto found = std::find(param.choices.begin(), param.choices.end(), text);
  if (found != param.choices.end()) return found - param.choices.begin();
  const std::vector<std::string_view> known(param.choices.begin(), param.choices.end());
  refuse(cx, args.voice, args.span(at),
         param.invalid.empty() ? choices_text(args.keyword(), param.choices) : fill(param.invalid, text))
      .suggest(grammar::did_you_mean(text, known));
  return std::nullopt;
}

std::optional<std::int64_t> read_one(ReadContext& cx, const Args& args, std::size_t at, const Param& param) {
  switch (param.take) {
    case Take::integer:
    case Take::loose_integer: return read_integer(cx, args, at, param);
    case Take::duration: return read_duration(cx, args, at, param);
    case Take::size: return read_size(cx, args, at, param);
    case Take::choice: return read_choice(cx, args, at, param);
    case Take::word:
    case Take::rest: return 0;
  }
  return 0;
}

}  // namespace

grammar::Span Args::keyword_span() const noexcept {
  grammar::Span span = line_.words[keyword_at_].span;
  for (std::size_t at = keyword_at_ + 1; at < first_; ++at) span = grammar::cover(span, line_.words[at].span);
  return span;
}

grammar::Span Args::span(std::size_t at) const noexcept { return has(at) ? word(at).span : keyword_span(); }

const grammar::Word& Args::word(std::size_t at) const {
  HAWSER_CHECK(has(at));
  return line_.words[first_ + at];
}

std::string_view Args::text(std::size_t at) const { return has(at) ? std::string_view(word(at).text) : ""; }

std::int64_t Args::number(std::size_t at) const { return at < numbers_.size() ? numbers_[at] : 0; }

std::string Args::joined(std::size_t at) const {
  std::string text;
  for (; has(at); ++at) {
    if (!text.empty()) text += ' ';
    text += word(at).text;
  }
  return text;
}

bool read_arguments(ReadContext& cx, std::span<const Param> params, Extra extra, std::size_t end, Args& args) {
  end = std::min(end, args.line_.words.size());
  args.end_ = std::max(end, args.first_);
  args.numbers_.clear();
  for (std::size_t at = 0; at < params.size(); ++at) {
    const Param& param = params[at];
    // An empty word ends the arguments, as it does for HAProxy.
    if (!args.has(at) || args.text(at).empty()) {
      if (!param.optional) return say_missing(cx, args, param), false;
      if (param.take == Take::rest || !args.has(at)) return true;
    }
    if (param.take == Take::rest) return true;
    const std::optional<std::int64_t> number = read_one(cx, args, at, param);
    if (!number) return false;
    args.numbers_.push_back(*number);
  }
  const std::size_t at = params.size();
  if (!args.has(at)) return true;
  if (extra.refusal.empty()) {
    cx.diagnostics.notice(args.span(at), "'{}' : '{}' means nothing here.", args.keyword(), args.text(at));
    return true;
  }
  const std::string_view before = at > 0 ? args.text(at - 1) : args.keyword();
  refuse(cx, args.voice, args.span(at),
         fmt::format(fmt::runtime(extra.refusal), args.keyword(), args.text(at), before));
  return false;
}

grammar::Diagnostic& refuse(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view text) {
  return cx.diagnostics.error(span, "{}{}{}", voice.before, text, voice.after).from(voice.origin);
}

grammar::Diagnostic& warn(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view text) {
  return cx.diagnostics.warning(span, "{}{}{}", voice.before, text, voice.after).from(voice.origin);
}

grammar::Diagnostic& not_supported(ReadContext& cx, const Voice& voice, grammar::Span span, std::string_view what) {
  grammar::Diagnostic& said = refuse(cx, voice, span, fmt::format("{} is not supported by hawser yet", what));
  said.unsupported = true;
  return said;
}

LooseInteger read_loose_integer(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
  if (at < text.size() && text[at] == '+') ++at;
  LooseInteger read;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), read.value);
  if (error == std::errc::result_out_of_range) read.value = text[at] == '-' ? INT64_MIN : INT64_MAX;
  read.whole = error != std::errc::invalid_argument && end == text.data() + text.size();
  return read;
}

}  // namespace hawser::compiler
