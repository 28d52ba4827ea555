// Log formats: texts, aliases and samples, with the flags that stood before them.
#include <fmt/format.h>

#include "compiler/resolve/availability.h"
#include "compiler/resolve/syntax.h"

namespace hawser::compiler {
namespace {

using model::FormatPart;

class FormatReader {
 public:
  FormatReader(ReadContext& cx, const grammar::Word& word, const Where& where, abi::Mode mode)
      : cx_(cx), word_(word), where_(where), mode_(mode) {}

  std::optional<model::Format> read(const std::vector<grammar::FormatItem>& items) {
    for (const grammar::FormatItem& item : items) {
      if (!add(item)) return std::nullopt;
    }
    format_.span = word_.span;
    return std::move(format_);
  }

 private:
  bool add(const grammar::FormatItem& item) {
    switch (item.kind) {
      case grammar::FormatItem::Kind::text: add_text(item.text, item.span); return true;
      case grammar::FormatItem::Kind::separator: add_text(" ", item.span); return true;
      case grammar::FormatItem::Kind::alias: return add_alias(item);
      case grammar::FormatItem::Kind::sample: return add_sample(item);
    }
    return true;
  }

  void add_text(std::string_view text, grammar::Span span) {
    if (format_.parts.empty() || format_.parts.back().kind != FormatPart::Kind::text) {
      format_.parts.emplace_back();
      format_.parts.back().span = span;
    }
    format_.parts.back().text += text;
  }

  bool add_alias(const grammar::FormatItem& item) {
    const AliasRow* row = find_alias(item.text);
    if (row == nullptr) return refuse_alias(item), false;
    if (row->http_only && mode_ != abi::Mode::http) {
      refuse(cx_, where_.voice, item.span, fmt::format("format variable '{}' is reserved for HTTP mode", item.text));
      return false;
    }
    FormatPart& part = add_part(item, FormatPart::Kind::alias);
    part.alias = row->id;
    return true;
  }

  void refuse_alias(const grammar::FormatItem& item) {
    if (is_later(NameKind::alias, item.text)) {
      not_supported(cx_, where_.voice, item.span, fmt::format("the log format alias '%{}'", item.text));
      return;
    }
    refuse(cx_, where_.voice, item.span,
           fmt::format("no such format variable '{}'. If you wanted to emit the '%' character verbatim, you need to "
                       "use '%%'",
                       item.text));
  }

  bool add_sample(const grammar::FormatItem& item) {
    const grammar::SampleSyntax& syntax = *item.sample;
    const std::string_view rest = text_from(word_, syntax.span);
    Voice voice = where_.voice;
    voice.before += fmt::format("failed to parse sample expression <{}> : ", rest);
    const FetchRow* fetch = resolve_fetch_name(cx_, syntax.fetch, voice);
    if (fetch == nullptr) return false;
    auto sample = resolve_syntax(cx_, syntax, word_, *fetch, {voice, voice});
    if (!sample) return false;
    if (!available_at(*fetch, where_.point)) {
      refuse(cx_, where_.voice, syntax.fetch.name_span,
             fmt::format("sample fetch <{}> may not be reliably used here because it needs '{}' which is not available "
                         "here",
                         rest, needs_of(*fetch)));
      return false;
    }
    if (reads_buffer(sample->fetch) && mode_ == abi::Mode::http) {
      cx_.diagnostics.warning(syntax.fetch.name_span, "L6 sample fetch <{}> ignored in HTTP log-format string.", rest);
    }
    sample->fetch = fetch_meant_at(sample->fetch, where_.point);
    FormatPart& part = add_part(item, FormatPart::Kind::sample);
    part.sample = std::move(*sample);
    return true;
  }

  FormatPart& add_part(const grammar::FormatItem& item, FormatPart::Kind kind) {
    FormatPart& part = format_.parts.emplace_back();
    part.kind = kind;
    part.span = item.span;
    if (item.quote) part.flags |= abi::format_quote;
    if (item.hex) part.flags |= abi::format_hex;
    if (item.escape) part.flags |= abi::format_escape;
    if (item.mandatory) part.flags |= abi::format_mandatory;
    if (where_.point != abi::EntryPoint::log) part.flags |= abi::format_empty;
    return part;
  }

  ReadContext& cx_;
  const grammar::Word& word_;
  const Where& where_;
  abi::Mode mode_;
  model::Format format_;
};

std::optional<model::Format> read_format(ReadContext& cx, const grammar::Word& word, const Where& where, abi::Mode mode,
                                         bool collapse_blanks) {
  const auto items =
      parse_in(cx, where.voice, [&](auto& said) { return grammar::parse_log_format(word, collapse_blanks, said); });
  if (!items) return std::nullopt;
  return FormatReader(cx, word, where, mode).read(*items);
}

}  // namespace

std::optional<model::Format> resolve_format(ReadContext& cx, const grammar::Word& word, const Where& where,
                                            bool collapse_blanks) {
  const abi::Mode mode = cx.proxy != nullptr ? *cx.proxy->mode : abi::Mode::http;
  return read_format(cx, word, where, mode, collapse_blanks);
}

std::optional<model::Format> resolve_log_format(ReadContext& cx, const model::Proxy& proxy, const grammar::Word& word) {
  const Where where{abi::EntryPoint::log,
                    {.before = "failed to parse log-format : ", .after = ".", .origin = grammar::Origin::late}};
  return read_format(cx, word, where, *proxy.mode, true);
}

grammar::Word built_in_word(std::string_view text, grammar::Span span) {
  return {.text = std::string(text), .span = span, .columns = {}, .ends = {}};
}

}  // namespace hawser::compiler
