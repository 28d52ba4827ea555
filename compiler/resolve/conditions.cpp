// Conditions: ACL names, anonymous tests, and HAProxy's own ACLs; and the warnings about tests that can never
// match where they stand.
#include <fmt/format.h>

#include "compiler/resolve/availability.h"
#include "compiler/resolve/syntax.h"

namespace hawser::compiler {
namespace {

// HAProxy's own ACLs (manual, 7.4). A proxy's ACL of the same name takes its place.
struct PredefinedRow {
  std::string_view name;
  std::string_view test;
};

constexpr PredefinedRow kPredefined[] = {
    {"FALSE", "always_false"},
    {"HTTP", "req.proto_http"},
    {"HTTP_1.0", "req.ver 1.0"},
    {"HTTP_1.1", "req.ver 1.1"},
    {"HTTP_2.0", "req.ver 2.0"},
    {"HTTP_CONTENT", "req.hdr_val(content-length) gt 0"},
    {"HTTP_URL_ABS", "url_reg ^[^/:]*://"},
    {"HTTP_URL_SLASH", "url_beg /"},
    {"HTTP_URL_STAR", "url *"},
    {"LOCALHOST", "src 127.0.0.1/8 ::1"},
    {"METH_CONNECT", "method CONNECT"},
    {"METH_DELETE", "method DELETE"},
    {"METH_GET", "method GET HEAD"},
    {"METH_HEAD", "method HEAD"},
    {"METH_OPTIONS", "method OPTIONS"},
    {"METH_POST", "method POST"},
    {"METH_PUT", "method PUT"},
    {"METH_TRACE", "method TRACE"},
    {"RDP_COOKIE", "req.rdp_cookie_cnt gt 0"},
    {"REQ_CONTENT", "req.len gt 0"},
    {"TRUE", "always_true"},
    {"WAIT_END", "wait_end"},
};

std::vector<grammar::Word> built_in_words(std::string_view text, grammar::Span span) {
  std::vector<grammar::Word> words;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    words.push_back(built_in_word(text.substr(0, blank), span));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return words;
}

class ConditionResolver {
 public:
  ConditionResolver(ReadContext& cx, const Where& where) : cx_(cx), where_(where) {}

  std::optional<model::Condition> resolve(const grammar::ConditionSyntax& syntax) {
    model::Condition condition;
    condition.unless = syntax.unless;
    condition.span = syntax.span;
    for (const auto& all_of : syntax.any_of) {
      std::vector<model::Term>& terms = condition.any_of.emplace_back();
      for (const grammar::TermSyntax& term : all_of) {
        const std::optional<model::AclId> acl = term.anonymous ? anonymous(term) : named(term);
        if (!acl) return std::nullopt;
        terms.push_back({term.negated, *acl, term.span});
      }
    }
    warn_of_mismatch(condition);
    return condition;
  }

 private:
  std::optional<model::AclId> anonymous(const grammar::TermSyntax& term) {
    if (term.words.empty()) {
      refuse(cx_, where_.voice, term.span, "missing fetch method in ACL expression ''");
      return std::nullopt;
    }
    auto test = resolve_test(cx_, term.words, 0, "", where_.voice);
    if (!test) return std::nullopt;
    model::Acl acl;
    acl.tests.push_back(std::move(*test));
    acl.span = term.span;
    return cx_.config.acls.add(std::move(acl));
  }

  std::optional<model::AclId> named(const grammar::TermSyntax& term) {
    if (const auto own = cx_.proxy->acls.find(term.name); own != cx_.proxy->acls.end()) return own->second;
    if (const auto made = cx_.proxy->predefined_acls.find(term.name); made != cx_.proxy->predefined_acls.end()) {
      return made->second;
    }
    for (const PredefinedRow& row : kPredefined) {
      if (row.name == term.name) return predefined(row, term.span);
    }
    auto& said = refuse(cx_, where_.voice, term.span, fmt::format("no such ACL : '{}'", term.name));
    std::vector<std::string_view> names;
    for (const auto& [name, id] : cx_.proxy->acls) names.push_back(name);
    for (const PredefinedRow& row : kPredefined) names.push_back(row.name);
    said.suggest(grammar::did_you_mean(term.name, names));
    return std::nullopt;
  }

  std::optional<model::AclId> predefined(const PredefinedRow& row, grammar::Span span) {
    grammar::Diagnostics said(cx_.sources);
    ReadContext quiet{cx_.config, cx_.proxy, said, cx_.environment, cx_.sources, cx_.options, cx_.section};
    auto test = resolve_test(quiet, built_in_words(row.test, span), 0, row.name, where_.voice);
    if (!test) {
      not_supported(cx_, where_.voice, span, fmt::format("the predefined ACL '{}' ({})", row.name, row.test));
      return std::nullopt;
    }
    model::Acl acl;
    acl.name = row.name;
    acl.tests.push_back(std::move(*test));
    acl.predefined = true;
    const model::AclId id = cx_.config.acls.add(std::move(acl));
    cx_.proxy->predefined_acls.emplace(row.name, id);
    return id;
  }

  // HAProxy warns of the first ACL with a test that cannot match here, and of no other.
  void warn_of_mismatch(const model::Condition& condition) {
    for (const auto& all_of : condition.any_of) {
      for (const model::Term& term : all_of) {
        if (warn_of_mismatch(cx_.config.acls[term.acl], term.span)) return;
      }
    }
  }

  // HAProxy's messages about rules over connections and bytes name these once more.
  bool of_tcp() const noexcept {
    return where_.point <= abi::EntryPoint::content || where_.point == abi::EntryPoint::tcp_response;
  }

  bool warn_of_mismatch(const model::Acl& acl, grammar::Span span) {
    const model::Test* wrong = nullptr;
    std::size_t wrong_count = 0;
    for (const model::Test& test : acl.tests) {
      if (available_at(row_of(test.sample.fetch), where_.point)) continue;
      if (wrong == nullptr) wrong = &test;
      ++wrong_count;
    }
    if (wrong == nullptr) return false;
    const std::string_view text = wrong->sample.text;
    const std::string_view keyword = text.substr(0, text.find_first_of("(,"));
    const std::string point = point_title(where_.point, *cx_.proxy);
    const std::string in =
        of_tcp() ? fmt::format(" in '{}'", model::row_of(model::ruleset_at(where_.point)).keyword) : "";
    if (acl.name.empty()) {
      cx_.diagnostics.warning(
          wrong->span,
          "anonymous acl will never match{} because it uses keyword '{}' which is incompatible with "
          "'{}'",
          in, keyword, point);
    } else if (wrong_count == acl.tests.size()) {
      cx_.diagnostics
          .warning(span,
                   "acl '{}' will never match{} because it only involves keywords that are incompatible with '{}'",
                   acl.name, in, point)
          .label(wrong->span, "the test stands here");
    } else {
      cx_.diagnostics
          .warning(span, "acl '{}' involves keywords '{}' which is incompatible with '{}'", acl.name, keyword, point)
          .label(wrong->span, "the test stands here");
    }
    return true;
  }

  ReadContext& cx_;
  const Where& where_;
};

}  // namespace

std::optional<model::Condition> resolve_condition(ReadContext& cx, const grammar::Line& line, std::size_t first,
                                                  const Where& where) {
  const auto syntax =
      parse_in(cx, where.voice, [&](auto& said) { return grammar::parse_condition(line.words, first, said); });
  if (!syntax) return std::nullopt;
  return ConditionResolver(cx, where).resolve(*syntax);
}

}  // namespace hawser::compiler
