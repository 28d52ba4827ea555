#include "compiler/keywords/section_reader.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/keywords/vocabulary.h"

namespace hawser::compiler {
namespace {

constexpr std::string_view kNegatable =
    "negation/default currently supported only for options, log, busy-polling, set-dumpable, strict-limits, "
    "insecure-fork-wanted and numa-cpu-mapping.";
const Voice kTokens{.origin = grammar::Origin::tokens};

std::string_view short_name(std::string_view name) {
  constexpr std::string_view kOption = "option ";
  return name.substr(0, kOption.size()) == kOption ? name.substr(kOption.size()) : name;
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " and " : ", ";
    text += fmt::format("'{}'", words[at]);
  }
  return text;
}

// "timeout frob": the first word begins names, and no name goes on like this.
void refuse_member(ReadContext& cx, const grammar::Line& line, std::size_t at,
                   const std::vector<std::string_view>& family) {
  const grammar::Word& first = line.words[at];
  const bool has_second = at + 1 < line.words.size();
  const grammar::Span where = has_second ? line.words[at + 1].span : first.span;
  const std::string second = has_second ? line.words[at + 1].text : "";
  const std::string_view meant = second.empty() ? "" : grammar::did_you_mean(second, family);
  if (first.text != "option") {
    refuse(cx, {}, where, fmt::format("'{}' supports {} (got '{}')", first.text, listed(family), second))
        .suggest(meant);
  } else if (!has_second) {
    refuse(cx, kTokens, where, "'option' expects an option name.");
  } else if (meant.empty()) {
    refuse(cx, {}, where, fmt::format("unknown option '{}'.", second));
  } else {
    refuse(cx, {}, where, fmt::format("unknown option '{}'; did you mean '{}' maybe ?", second, meant)).suggest(meant);
  }
}

void refuse_unknown(ReadContext& cx, const grammar::Line& line, std::size_t at) {
  const grammar::Word* word = at < line.words.size() ? &line.words[at] : nullptr;
  const std::string text = word != nullptr ? word->text : "";
  if (const auto family = family_of(cx.section, text); word != nullptr && !family.empty()) {
    refuse_member(cx, line, at, family);
    return;
  }
  const grammar::Span where = word != nullptr ? word->span : line.span;
  const std::string_view meant = grammar::did_you_mean(text, first_words(cx.section));
  const std::string lead = fmt::format("unknown keyword '{}' in '{}' section", text, section_name(cx.section));
  if (meant.empty()) {
    refuse(cx, {}, where, lead);
  } else {
    refuse(cx, {}, where, fmt::format("{}; did you mean '{}' maybe ?", lead, meant)).suggest(meant);
  }
}

// `no` and `default` before a keyword. False after a message.
bool prefix_allowed(ReadContext& cx, const Meaning& meaning, const grammar::Line& line) {
  if (meaning.row == nullptr) return true;
  const bool fits = line.words[0].text == "no" ? meaning.row->prefixes != Prefixes::none
                                               : meaning.row->prefixes == Prefixes::no_and_default;
  if (fits) return true;
  const std::string_view name = meaning.row->name;
  const std::string_view option = short_name(name);
  refuse(cx, kTokens, line.words[0].span,
         option.size() == name.size() ? std::string(kNegatable)
                                      : fmt::format("negation/default is not supported for option '{}'.", option));
  return false;
}

// Holds the keyword against its section. False after a fatal message; a keyword that means nothing in this
// section is warned of, and checked all the same.
bool place_allowed(ReadContext& cx, const Keyword& row, const Args& args) {
  if (cx.section == Section::global) return true;
  if (cx.in_defaults()) {
    if (!contains(row.sections, Section::defaults)) {
      refuse(cx, args.voice, args.keyword_span(), fmt::format("'{}' not allowed in 'defaults' section.", row.name));
      return false;
    }
    if (row.named_defaults_only && cx.proxy->name.empty()) {
      refuse(cx, args.voice, args.keyword_span(),
             fmt::format("'{}' not allowed in anonymous 'defaults' section.", row.name))
          .with_hint("a section of 'defaults' with rules needs a name");
      return false;
    }
    return true;
  }
  if (contains(row.sections, cx.section)) return true;
  const std::string_view lacking = cx.section == Section::frontend ? "backend" : "frontend";
  const std::string text =
      fmt::format(fmt::runtime(row.elsewhere.text), row.name, cx.proxy_title(), lacking, short_name(row.name));
  if (row.elsewhere.fatal) {
    refuse(cx, args.voice, args.keyword_span(), text);
    return false;
  }
  warn(cx, args.voice, args.keyword_span(), text);
  return true;
}

void carry_out(ReadContext& cx, const Meaning& meaning, const grammar::Line& line, std::size_t at) {
  const Keyword& row = *meaning.row;
  Args args(line, row.name, at, at + meaning.words);
  args.voice.origin = row.origin;
  args.negated = at > 0 && line.words[0].text == "no";
  args.defaulted = at > 0 && line.words[0].text == "default";
  if (!place_allowed(cx, row, args)) return;
  if (read_arguments(cx, row.params, row.extra, line.words.size(), args)) row.lower(cx, args);
}

struct SectionWord {
  std::string_view name;
  std::optional<model::Proxy::Kind> kind;  // none: global
};
constexpr SectionWord kSectionWords[] = {{"global", std::nullopt},
                                         {"defaults", model::Proxy::Kind::defaults},
                                         {"frontend", model::Proxy::Kind::frontend},
                                         {"backend", model::Proxy::Kind::backend},
                                         {"listen", model::Proxy::Kind::listen}};

// --unsupported=warn: a section or a line of which nothing else is made can be left out.
void may_be_left_out(const ReadContext& cx, grammar::Diagnostic& said) {
  if (!cx.options.warn_unsupported) return;
  said.level = grammar::Level::warning;
  said.fatal = false;
  said.text += ", and is left out";
}

}  // namespace

void SectionReader::read(const grammar::Line& line) {
  if (begin_section(line) || skipping_) return;
  if (cx_.section == Section::none) {
    const grammar::Word& word = line.words[0];
    std::vector<std::string_view> known;
    for (const SectionWord& one : kSectionWords) known.push_back(one.name);
    refuse(cx_, kTokens, word.span, fmt::format("unknown keyword '{}' out of section.", word.text))
        .suggest(grammar::did_you_mean(word.text, known));
    return;
  }
  read_keyword(line);
}

// True when the line is one that begins a section, sound or not.
bool SectionReader::begin_section(const grammar::Line& line) {
  const std::string& word = line.words[0].text;
  const auto known = std::find_if(std::begin(kSectionWords), std::end(kSectionWords),
                                  [&](const SectionWord& one) { return one.name == word; });
  const auto later = later_words(WordKind::section);
  const bool is_later = std::any_of(later.begin(), later.end(), [&](const LaterWord& one) { return one.name == word; });
  if (known == std::end(kSectionWords) && !is_later) return false;
  // What `${.SECTION}` stands for: the name, else the keyword.
  const bool named = line.words.size() > 1 && line.words[1].text != "from";
  section_keyword_ = named ? line.words[1].text : word;
  cx_.proxy = nullptr;
  if (is_later) {
    may_be_left_out(cx_, not_supported(cx_, {}, line.words[0].span, fmt::format("section '{}'", word)));
    skipping_ = true;
    return true;
  }
  skipping_ = !(known->kind ? begin_proxy(cx_, line, *known->kind) : begin_global(cx_, line));
  return true;
}

void SectionReader::read_keyword(const grammar::Line& line) {
  const bool prefixed = line.words[0].text == "no" || line.words[0].text == "default";
  const std::size_t at = prefixed ? 1 : 0;
  const Meaning meaning = at < line.words.size() ? find_keyword(cx_.section, line, at) : Meaning{};
  if (prefixed && at >= line.words.size()) {
    refuse(cx_, kTokens, line.words[0].span, kNegatable);
  } else if (!meaning.known()) {
    refuse_unknown(cx_, line, at);
  } else if (meaning.removed != nullptr) {
    refuse(cx_, {.origin = meaning.removed->origin}, line.words[at].span, meaning.removed->text);
  } else if (meaning.later != nullptr) {
    const grammar::Span where = grammar::cover(line.words[at].span, line.words[at + meaning.words - 1].span);
    may_be_left_out(cx_, not_supported(cx_, {}, where, fmt::format("'{}'", meaning.later->name)));
  } else if (!prefixed || prefix_allowed(cx_, meaning, line)) {
    carry_out(cx_, meaning, line, at);
  }
}

}  // namespace hawser::compiler
