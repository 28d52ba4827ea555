// Log formats. Holds: items or a message; items come in the order of the text; neighbouring texts are one; blanks
// are text, or separators, never both.
#include "tests/fuzz/grammar_word.h"

namespace {

void check_items(const std::vector<hawser::grammar::FormatItem>& items, bool collapse, const hawser::fuzz::Text& text) {
  using Kind = hawser::grammar::FormatItem::Kind;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    HAWSER_CHECK(text.inside(item.span));
    HAWSER_CHECK(item.sample.has_value() == (item.kind == Kind::sample));
    if (item.sample) hawser::fuzz::check_sample(*item.sample, text);
    if (item.kind == Kind::text && collapse) HAWSER_CHECK(item.text.find(' ') == std::string::npos);
    HAWSER_CHECK(collapse || item.kind != Kind::separator);
    if (i == 0) continue;
    HAWSER_CHECK(item.span.column >= items[i - 1].span.column + items[i - 1].span.length);
    HAWSER_CHECK(item.kind != items[i - 1].kind || (item.kind != Kind::text && item.kind != Kind::separator));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::fuzz;  // NOLINT(google-build-using-namespace)
  for (const bool collapse : {false, true}) {
    Text text(data, size);
    const auto items = parse_log_format(text.word(), collapse, text.diagnostics);
    text.check(items.has_value());
    if (items) check_items(*items, collapse, text);
  }
  return 0;
}
