// The arguments of fetches and converters, checked against their params as HAProxy checks them: first the
// form of each, then what it means.
#include <charconv>

#include <fmt/format.h>

#include "compiler/resolve/syntax.h"

namespace hawser::compiler {
namespace {

using Param = abi::Param;  // not the keywords' Param
using Take = abi::Take;

// HAProxy remembers the last ten values of a field.
constexpr std::int64_t kOccurrenceMin = -10;

constexpr std::string_view kScopes[] = {"proc", "sess", "txn", "req", "res", "check"};

bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

std::string_view type_name(Take take) noexcept {
  return take == Take::integer || take == Take::index ? "integer" : "string";
}

// All of `text`, with a sign. A number that does not fit is the nearest one that does, as HAProxy takes it.
std::optional<std::int64_t> read_integer(std::string_view text) noexcept {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || at != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) return text.starts_with('-') ? INT64_MIN : INT64_MAX;
  return value;
}

std::optional<std::int64_t> read_boolean(std::string_view text) {
  const std::string lower = [&] {
    std::string copy(text);
    for (char& c : copy) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return copy;
  }();
  if (lower == "true" || lower == "1") return 1;
  if (lower == "false" || lower == "0") return 0;
  return std::nullopt;
}

class CallReader {
 public:
  CallReader(ReadContext& cx, const grammar::Call& call, std::span<const abi::Param> params, const grammar::Word& word,
             bool is_converter, const SampleVoice& voice)
      : cx_(cx), call_(call), params_(params), word_(word), is_converter_(is_converter), voice_(voice) {}

  std::optional<std::vector<model::Arg>> read() {
    std::vector<model::Arg> args;
    for (std::size_t at = 0; at < params_.size(); ++at) {
      if (!form_is_right(at)) return std::nullopt;
    }
    if (given() > params_.size() && !(params_.empty() && given() == 1 && text(0).empty())) {
      return refuse_form(params_.size(), call_.arguments[params_.size()].span, surplus_reason()), std::nullopt;
    }
    for (std::size_t at = 0; at < params_.size(); ++at) {
      std::optional<model::Arg> arg = meaning(at);
      if (!arg) return std::nullopt;
      args.push_back(std::move(*arg));
    }
    return args;
  }

 private:
  std::size_t given() const noexcept { return call_.arguments.size(); }
  std::string_view text(std::size_t at) const noexcept {
    return at < given() ? std::string_view(call_.arguments[at].text) : std::string_view();
  }
  grammar::Span span(std::size_t at) const noexcept {
    return at < given() && call_.arguments[at].span.length > 0 ? call_.arguments[at].span : call_.span;
  }

  std::string surplus_reason() const {
    const std::size_t at = params_.size();
    // An empty argument has no byte of its own: the text then goes on at its comma.
    std::string_view rest = text_from(word_, call_.arguments[at].span);
    if (at == 0) return fmt::format("expected ')' before '{}'", rest);
    return fmt::format("expected ')' before ',{}'", rest);
  }

  bool form_is_right(std::size_t at) {
    const Param& param = params_[at];
    const bool integer = param.take == Take::integer || param.take == Take::index;
    if (at >= given() && !param.optional && at > 0) {
      refuse_form(
          at, call_.span,
          fmt::format("missing arguments (got {}/{}), type '{}' expected", given(), required(), type_name(param.take)));
      return false;
    }
    if (!integer) return true;
    if (text(at).empty()) {
      if (param.optional) return true;
      refuse_form(at, span(at), fmt::format("expected type 'integer' at position {}, but got nothing", at + 1));
      return false;
    }
    if (read_integer(text(at))) return true;
    refuse_form(at, span(at), fmt::format("failed to parse '{}' as type 'integer' at position {}", text(at), at + 1));
    return false;
  }

  std::size_t required() const noexcept {
    std::size_t count = 0;
    while (count < params_.size() && !params_[count].optional) ++count;
    return count;
  }

  std::optional<model::Arg> meaning(std::size_t at) {
    const Param& param = params_[at];
    const std::string_view given = text(at);
    if (given.empty() && param.optional) return model::Arg();
    switch (param.take) {
      case Take::integer: return bounded(at, *read_integer(given));
      case Take::index:
        if (const std::int64_t index = *read_integer(given); index != 0) return model::Arg(index);
        return refuse_meaning(at, "Unexpected value 0 for index"), std::nullopt;
      case Take::boolean:
        if (const auto truth = read_boolean(given)) return model::Arg(*truth);
        return refuse_meaning(at, "Expects 'true', 'false', '0' or '1'"), std::nullopt;
      case Take::variable: return variable(at);
      case Take::value: return value(at);
      case Take::own_name:
        if (given == param.name) return model::Arg(std::string(given));
        return refuse_meaning(at, fmt::format("'{}' is not '{}'", given, param.name)), std::nullopt;
      case Take::char_set:
        if (!given.empty()) return model::Arg(std::string(given));
        return refuse_meaning(at, "Empty separators list"), std::nullopt;
      default: return model::Arg(std::string(given));
    }
  }

  std::optional<model::Arg> bounded(std::size_t at, std::int64_t number) {
    const Param& param = params_[at];
    if (&param == &abi::params::field_occurrence[1] && number < kOccurrenceMin) {
      return refuse_occurrence(at), std::nullopt;
    }
    if (number >= param.min && number <= param.max) return model::Arg(number);
    return refuse_meaning(at, fmt::format("'{}' is not between {} and {}", number, param.min, param.max)), std::nullopt;
  }

  std::optional<model::Arg> variable(std::size_t at) {
    auto read = read_variable(text(at));
    if (read) return model::Arg(std::move(read).value());
    if (is_converter_)
      return refuse_meaning(at, fmt::format("failed to register variable name '{}'", text(at))), std::nullopt;
    return refuse_meaning(at, read.error().text), std::nullopt;
  }

  std::optional<model::Arg> value(std::size_t at) {
    if (text(at).empty()) return model::Arg(std::int64_t{0});
    if (const auto number = read_integer(text(at))) return model::Arg(*number);
    if (auto read = read_variable(text(at))) return model::Arg(std::move(read).value());
    return refuse_meaning(at, "expects an integer or a variable name"), std::nullopt;
  }

  void refuse_form(std::size_t at, grammar::Span where, std::string_view reason) {
    if (is_converter_) {
      const std::size_t number = std::max<std::size_t>(1, std::min(at + 1, std::max<std::size_t>(params_.size(), 1)));
      refuse(cx_, voice_.converter, where,
             fmt::format("invalid arg {} in converter '{}' : {}", number, call_.name, reason));
    } else if (voice_.criterion) {
      refuse(cx_, voice_.fetch, where, reason);
    } else {
      refuse(cx_, voice_.fetch, where, fmt::format("fetch method '{}' : {}", call_.name, reason));
    }
  }

  void refuse_occurrence(std::size_t at) {
    const std::string reason = fmt::format("header occurrence must be >= {}", kOccurrenceMin);
    if (!voice_.criterion) return refuse_meaning(at, reason);
    refuse(cx_, voice_.bare, span(at), fmt::format("in argument to '{}', {}", call_.name, reason));
  }

  void refuse_meaning(std::size_t at, std::string_view reason) {
    const Voice& voice = is_converter_ ? voice_.converter : voice_.fetch;
    refuse(
        cx_, voice, span(at),
        fmt::format("invalid args in {} '{}' : {}", is_converter_ ? "converter" : "fetch method", call_.name, reason));
  }

  ReadContext& cx_;
  const grammar::Call& call_;
  std::span<const Param> params_;
  const grammar::Word& word_;
  bool is_converter_;
  const SampleVoice& voice_;
};

}  // namespace

std::optional<std::vector<model::Arg>> resolve_arguments(ReadContext& cx, const grammar::Call& call,
                                                         std::span<const abi::Param> params, const grammar::Word& word,
                                                         bool is_converter, const SampleVoice& voice) {
  return CallReader(cx, call, params, word, is_converter, voice).read();
}

Result<model::Variable, VariableProblem> read_variable(std::string_view name) {
  if (name.empty()) return VariableProblem{"Empty variable name cannot be accepted", 0};
  const std::size_t dot = name.find('.');
  for (std::size_t at = 0; at < std::size(kScopes); ++at) {
    if (dot == std::string_view::npos || dot + 1 == name.size() || name.substr(0, dot) != kScopes[at]) continue;
    for (std::size_t byte = dot + 1; byte < name.size(); ++byte) {
      if (!is_name_byte(name[byte])) {
        return VariableProblem{fmt::format("invalid syntax at char '{}'", name.substr(byte)), byte};
      }
    }
    return model::Variable{static_cast<abi::VariableScope>(at), std::string(name.substr(dot + 1))};
  }
  return VariableProblem{
      fmt::format("invalid variable name '{}'. A variable name must be start by its scope. The scope "
                  "can be 'proc', 'sess', 'txn', 'req', 'res' or 'check'",
                  name),
      0};
}

std::optional<model::Variable> parse_variable(ReadContext& cx, std::string_view name, grammar::Span span,
                                              const Voice& voice) {
  auto read = read_variable(name);
  if (read) return std::move(read).value();
  refuse(cx, voice, span, read.error().text);
  return std::nullopt;
}

}  // namespace hawser::compiler
