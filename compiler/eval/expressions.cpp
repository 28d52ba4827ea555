#include "compiler/eval/expressions.h"

#include "runtime/abi/rows.h"
#include "runtime/base/ascii.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/converters.h"
#include "runtime/kernels/formats.h"

namespace hawser::eval {
namespace {

using abi::Constant;
using abi::Sample;

constexpr exec::Fetch kFetches[] = {
#define FETCH(id, ...) exec::fetch_##id,
#include "runtime/abi/fetches.def"
#undef FETCH
};
constexpr exec::Alias kAliases[] = {
#define ALIAS(id, ...) exec::alias_##id,
#include "runtime/abi/aliases.def"
#undef ALIAS
};

// Fields of a head have lower-case names there; cookies and parameters are called as they are written.
bool names_a_field(abi::FetchId fetch) { return abi::name_of(fetch).find("hdr") != std::string_view::npos; }

// Arguments as fetches read them: texts by their place in an image, here a copy in the arena, where a value that
// is an argument itself (str) may point to.
std::vector<Constant> arguments_of(const model::SampleExpr& sample, Arena& arena, abi::ImageView& image) {
  std::string texts;
  std::vector<Constant> rows(abi::row(sample.fetch).params.size());
  const auto place = [&](std::string_view text) {
    const abi::Text at{static_cast<std::uint32_t>(texts.size()), static_cast<std::uint32_t>(text.size())};
    texts += text;
    return at;
  };
  for (std::size_t at = 0; at < sample.args.size(); ++at) {
    const model::Arg& arg = sample.args[at];
    if (const auto* text = std::get_if<std::string>(&arg)) {
      const bool field = names_a_field(sample.fetch);
      rows[at].kind = field ? Constant::Kind::field : Constant::Kind::text;
      rows[at].text = place(field ? lower_cased(*text) : *text);
    } else if (const auto* number = std::get_if<std::int64_t>(&arg)) {
      rows[at].kind = Constant::Kind::integer;
      rows[at].integer = *number;
    } else if (const auto* variable = std::get_if<model::Variable>(&arg)) {
      rows[at].kind = Constant::Kind::variable;
      rows[at].scope = variable->scope;
      rows[at].text = place(variable->name);
    }
  }
  image = abi::ImageView(std::as_bytes(std::span(arena.copy(texts))));
  return rows;
}

// An argument of a converter: a variable is its value.
Sample argument_of(const Scope& scope, const model::Arg& arg) {
  if (const auto* text = std::get_if<std::string>(&arg)) return Sample::text(scope.arena().copy(*text));
  if (const auto* number = std::get_if<std::int64_t>(&arg)) return Sample::sint(*number);
  if (const auto* variable = std::get_if<model::Variable>(&arg)) {
    return exec::find_variable(scope.subject, variable->scope, variable->name);
  }
  return Sample::absent();
}

// What has no value stays without one; what is not known yet stays so.
Sample converted(const Scope& scope, const model::SampleExpr& expression, Sample sample) {
  for (const model::Conversion& conversion : expression.converters) {
    if (sample.is_absent()) break;
    std::vector<Sample> arguments(abi::kArgumentsMax);
    for (std::size_t at = 0; at < conversion.args.size(); ++at) arguments[at] = argument_of(scope, conversion.args[at]);
    const bool pending = sample.pending;
    kernels::cast(sample, kernels::input_of(conversion.converter), scope.arena());
    const bool holds =
        !sample.is_absent() && kernels::converter(conversion.converter)(sample, arguments.data(), scope.arena());
    if (!holds) sample = Sample::absent();
    sample.pending = pending;
  }
  return sample;
}

// Of captured fields, which leave nothing behind, no separator either, where nothing is captured.
bool may_be_nothing(abi::AliasId alias) {
  return alias == abi::AliasId::hr || alias == abi::AliasId::hs || alias == abi::AliasId::hrl ||
         alias == abi::AliasId::hsl;
}

void append_alias(const Scope& scope, const model::FormatPart& part, std::uint16_t flags, std::string& text) {
  exec::AliasCall call{text, scope.subject, scope.worker, static_cast<std::uint16_t>(part.flags | flags)};
  kAliases[static_cast<std::size_t>(part.alias)](call);
}

}  // namespace

Sample value_of(const Scope& scope, const model::SampleExpr& sample) {
  abi::ImageView image;
  const std::vector<Constant> arguments = arguments_of(sample, scope.arena(), image);
  exec::Frame::Cursor cursor;
  const std::uint8_t flags = scope.in_response() ? abi::fetch_response : 0;
  exec::FetchCall call{scope.subject, image, arguments.empty() ? nullptr : arguments.data(), flags, false, cursor};
  return converted(scope, sample, kFetches[static_cast<std::size_t>(sample.fetch)](call));
}

Occurrences::Occurrences(const Scope& scope, const model::SampleExpr& sample)
    : scope_(scope), sample_(sample), arguments_(arguments_of(sample, scope.arena(), image_)) {
  value_ = converted(scope_, sample_, fetch(false));
}

bool Occurrences::next() {
  if (!abi::row(sample_.fetch).many) return false;
  const Sample fetched = fetch(true);
  if (fetched.is_absent()) return false;
  value_ = converted(scope_, sample_, fetched);
  return true;
}

Sample Occurrences::fetch(bool next) {
  const auto flags = static_cast<std::uint8_t>(abi::fetch_every | (scope_.in_response() ? abi::fetch_response : 0));
  const Constant* const arguments = arguments_.empty() ? nullptr : arguments_.data();
  exec::FetchCall call{scope_.subject, image_, arguments, flags, next, cursor_};
  return kFetches[static_cast<std::size_t>(sample_.fetch)](call);
}

std::string text_of(const Scope& scope, const model::Format& format) {
  constexpr std::uint16_t kFlags = abi::format_empty | abi::format_field;
  std::string text;
  for (const model::FormatPart& part : format.parts) {
    switch (part.kind) {
      case model::FormatPart::Kind::text: text += part.text; break;
      case model::FormatPart::Kind::alias: append_alias(scope, part, kFlags, text); break;
      case model::FormatPart::Kind::sample:
        kernels::append_sample(text, value_of(scope, *part.sample), static_cast<std::uint16_t>(part.flags | kFlags));
        break;
    }
  }
  return text;
}

std::string line_of(const Scope& scope, const model::Format& format) {
  std::string line;
  bool separated = true;  // at the beginning, and behind a separator
  for (const model::FormatPart& part : format.parts) {
    switch (part.kind) {
      case model::FormatPart::Kind::text:
        for (const char c : part.text) {
          if (c != ' ' || !separated) line += c;
          separated = c == ' ';
        }
        break;
      case model::FormatPart::Kind::alias: {
        const std::size_t size = line.size();
        append_alias(scope, part, 0, line);
        if (line.size() != size || !may_be_nothing(part.alias)) separated = false;
        break;
      }
      case model::FormatPart::Kind::sample:
        kernels::append_sample(line, value_of(scope, *part.sample), part.flags);
        separated = false;
        break;
    }
  }
  return line;
}

}  // namespace hawser::eval
