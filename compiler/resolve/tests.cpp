// Tests: a criterion, flags, and the set of patterns that the samples are compared with.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "compiler/resolve/patterns.h"
#include "compiler/resolve/syntax.h"
#include "runtime/base/hash.h"
#include "runtime/kernels/matchers.h"

namespace hawser::compiler {
namespace {

using abi::Match;
using abi::SampleType;

struct MatchRow {
  std::string_view name;
  Match match;
  SampleType needs;
  bool supported;
};

constexpr MatchRow kMatches[] = {
    {"found", Match::found, SampleType::any, true},      {"bool", Match::boolean, SampleType::boolean, true},
    {"int", Match::integer, SampleType::sint, true},     {"ip", Match::ip, SampleType::address, true},
    {"bin", Match::binary, SampleType::binary, true},    {"len", Match::length, SampleType::string, true},
    {"str", Match::string, SampleType::string, true},    {"beg", Match::begin, SampleType::string, true},
    {"end", Match::end, SampleType::string, true},       {"sub", Match::substring, SampleType::string, true},
    {"dir", Match::directory, SampleType::string, true}, {"dom", Match::domain, SampleType::string, true},
    {"reg", Match::regex, SampleType::string, true},
};

const MatchRow* find_match(std::string_view name) noexcept {
  for (const MatchRow& row : kMatches) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const MatchRow& row_of(Match match) noexcept {
  for (const MatchRow& row : kMatches) {
    if (row.match == match) return row;
  }
  return kMatches[0];
}

std::optional<Match> default_match(SampleType type) noexcept {
  switch (type) {
    case SampleType::boolean: return Match::boolean;
    case SampleType::sint: return Match::integer;
    case SampleType::address:
    case SampleType::ipv4:
    case SampleType::ipv6: return Match::ip;
    case SampleType::string:
    case SampleType::method: return Match::string;
    default: return std::nullopt;
  }
}

bool takes_patterns(Match match) noexcept { return match != Match::found && match != Match::boolean; }
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) noexcept {
  return content_hash(std::as_bytes(std::span(text)), seed);
}

bool takes_numbers(Match match) noexcept { return match == Match::integer || match == Match::length; }

// Fetches whose numbers are written as versions.
bool names_version(abi::FetchId fetch) noexcept {
  return fetch == abi::FetchId::req_ssl_ver || fetch == abi::FetchId::req_ssl_ver_legacy;
}

class TestReader {
 public:
  TestReader(ReadContext& cx, const std::vector<grammar::Word>& words, std::size_t first, std::string_view acl_name,
             const Voice& voice)
      : cx_(cx), words_(words), at_(first), acl_name_(acl_name), voice_(voice) {
    // An empty word ends the line's arguments, as it does for HAProxy.
    while (end_ < words.size() && !words[end_].text.empty()) ++end_;
  }

  std::optional<model::Test> read() {
    if (!read_criterion() || !read_flags() || !choose_match()) return std::nullopt;
    if (takes_patterns(*match_) && at_ == end_ && bare_) warn_of_no_pattern();
    const grammar::Word* const first = flagless_ && at_ < end_ ? &words_[at_] : nullptr;
    begin_inline_reference();
    if (takes_patterns(*match_) && !read_patterns()) return std::nullopt;
    end_inline_reference();
    if (!settle_case()) return std::nullopt;
    if (sample_.result == SampleType::method && !match_span_.valid()) keep_case_of_methods();
    if (first != nullptr && first->text.starts_with('(')) warn_of_arguments(*first);
    model::Test test;
    test.sample = std::move(sample_);
    test.match = *match_;
    test.span = expression_->span;
    if (takes_patterns(*match_)) test.set = cx_.config.sets.add(std::move(set_));
    return test;
  }

 private:
  bool read_criterion() {
    if (at_ >= end_) {
      const grammar::Span where = words_.empty() ? grammar::Span() : words_[std::min(at_, words_.size() - 1)].span;
      return refuse(cx_, voice_, where, "missing fetch method in ACL expression ''"), false;
    }
    expression_ = &words_[at_++];
    set_.span = expression_->span;
    Voice plain = voice_;
    plain.after = fmt::format(" in ACL expression '{}'{}", expression_->text, voice_.after);
    const std::string_view text = expression_->text;
    const std::string_view name = text.substr(0, text.find_first_of("(,)"));
    const CriterionRow* criterion = find_criterion(name);
    SampleVoice voice{plain, plain};
    if (criterion != nullptr) {
      voice.fetch = voice_;
      voice.fetch.before += fmt::format("ACL keyword '{}' : ", name);
      voice.converter = voice.fetch;
      voice.converter.after += ".";
      voice.criterion = true;
      voice.bare = voice_;
    }
    const auto syntax =
        parse_in(cx_, voice.converter, [&](auto& said) { return grammar::parse_sample(*expression_, said); });
    if (!syntax) return false;
    const FetchRow* fetch = criterion != nullptr ? &compiler::row_of(criterion->fetch) : resolve_name(*syntax, plain);
    if (fetch == nullptr) return false;
    auto sample = resolve_syntax(cx_, *syntax, *expression_, *fetch, voice);
    if (!sample) return false;
    sample_ = std::move(*sample);
    // A converter takes the method of the criterion's name away (manual, 7.1).
    if (criterion != nullptr && sample_.converters.empty()) match_ = criterion->match;
    return true;
  }

  const FetchRow* resolve_name(const grammar::SampleSyntax& syntax, const Voice& voice) {
    if (!is_later(NameKind::criterion, syntax.fetch.name)) return resolve_fetch_name(cx_, syntax.fetch, voice);
    not_supported(cx_, voice_, syntax.fetch.name_span, fmt::format("the ACL criterion '{}'", syntax.fetch.name));
    return nullptr;
  }

  bool read_flags() {
    bare_ = at_ == end_;
    flagless_ = at_ < end_ && !words_[at_].text.starts_with('-') && expression_->text.find('(') == std::string::npos;
    while (at_ < end_ && words_[at_].text.starts_with('-')) {
      const grammar::Word& word = words_[at_++];
      if (word.text == "--") return true;
      if (word.text == "-i") {
        if (!set_.ignore_case) {
          case_matters_before_ = set_.patterns.size();
          case_span_ = word.span;
        }
        set_.ignore_case = true;
      } else if (word.text == "-n") {
        resolve_names_ = false;
      } else if (word.text == "-m") {
        if (!read_method(word)) return false;
      } else if (word.text == "-f") {
        if (!read_file(word)) return false;
      } else if (word.text == "-M" || word.text == "-u") {
        return not_supported(cx_, voice_, word.span, fmt::format("the ACL flag '{}'", word.text)), false;
      } else {
        refuse(cx_, voice_, word.span,
               fmt::format("'{}' is not a valid ACL option. Please use '--' before any pattern beginning with a '-'",
                           word.text));
        return false;
      }
    }
    return true;
  }

  bool read_method(const grammar::Word& flag) {
    const std::string_view name = at_ < end_ ? std::string_view(words_[at_].text) : std::string_view();
    const grammar::Span span = at_ < end_ ? words_[at_].span : flag.span;
    if (!set_.reference.empty()) {
      refuse(cx_, voice_, flag.span, "'-m' must only be specified before patterns and files in parsing ACL expression");
      return false;
    }
    const MatchRow* row = find_match(name);
    if (row == nullptr) {
      return refuse(cx_, voice_, span, fmt::format("unknown matching method '{}' when parsing ACL expression", name)),
             false;
    }
    ++at_;
    match_ = row->match;
    match_span_ = span;
    return true;
  }

  // The method that stands, checked against what the sample is.
  bool choose_match() {
    if (!match_) match_ = default_match(sample_.result);
    if (!match_) {
      refuse(cx_, voice_, expression_->span,
             fmt::format("matching method must be specified first (using '-m') when using a sample fetch of this type "
                         "('{}')",
                         keyword()));
      return false;
    }
    const MatchRow& row = row_of(*match_);
    const grammar::Span span = match_span_.valid() ? match_span_ : expression_->span;
    if (!can_cast(sample_.result, row.needs)) {
      refuse(cx_, voice_, span,
             fmt::format("matching method '{}' cannot be used with fetch keyword '{}'", row.name, keyword()));
      return false;
    }
    if (!row.supported) {
      return not_supported(cx_, voice_, span, fmt::format("the matching method '{}'", row.name)), false;
    }
    set_.match = *match_;
    set_.acl_name = acl_name_;
    return true;
  }

  std::string_view keyword() const noexcept {
    const std::string_view text = sample_.text;
    return text.substr(0, text.find_first_of("(,"));
  }

  // What `show acl` says of a reference: the place is where HAProxy's parser stood.
  std::string place() const {
    return fmt::format("file '{}' line {}", cx_.sources.name(expression_->span.file), expression_->span.line);
  }

  void begin_inline_reference() {
    model::Reference reference;
    // A criterion keeps its name as it is written, unless converters take its method away.
    const std::string_view name = sample_.converters.empty() ? keyword() : abi::name_of(sample_.fetch);
    reference.description = fmt::format("acl '{}' {}", name, place());
    inline_ = add_reference(std::move(reference));
  }

  void end_inline_reference() {
    model::Reference& reference = cx_.config.references[inline_];
    if (!takes_patterns(*match_)) {
      for (; at_ < end_; ++at_) reference.texts.push_back(words_[at_].text);
    }
    reference.hash = hash_of(abi::to_string(*match_));
    const auto mix = [&](std::string_view text) { reference.hash = hash_of(text, reference.hash); };
    for (const std::string& text : reference.texts) mix(text);
    for (const model::Pattern& pattern : set_.patterns) {
      if (pattern.reference == inline_) mix(pattern.text);
    }
  }

  model::ReferenceId add_reference(model::Reference reference) {
    reference.match = *match_;
    reference.ignore_case = set_.ignore_case;
    const model::ReferenceId id = cx_.config.references.add(std::move(reference));
    set_.references.push_back(id);
    return id;
  }

  // Of a file of -f, which may have been read for another test. False when this test has no need to read it again.
  bool use_file(const std::string& path, std::string_view bytes) {
    const auto known = cx_.config.references_by_file.find(path);
    if (known == cx_.config.references_by_file.end()) {
      model::Reference reference;
      reference.file = path;
      reference.description = fmt::format("pattern loaded from file '{}' used by acl at {}", path, place());
      reference.hash = hash_of(bytes);
      current_ = add_reference(std::move(reference));
      cx_.config.references_by_file.emplace(path, current_);
      return true;
    }
    current_ = known->second;
    cx_.config.references[current_].description += fmt::format(", by acl at {}", place());
    if (std::find(set_.references.begin(), set_.references.end(), current_) != set_.references.end()) return false;
    set_.references.push_back(current_);
    return takes_patterns(*match_);
  }

  bool read_patterns() {
    current_ = inline_;
    Operator how = Operator::none;
    for (; at_ < end_; ++at_) {
      const grammar::Word& word = words_[at_];
      if (takes_numbers(*match_)) {
        if (const auto given = read_operator(word.text)) {
          how = *given;
          continue;
        }
      }
      if (!add_pattern(word.text, word, how, "")) return false;
    }
    return true;
  }

  // `place`: "" or " at line 3 of file 'x'".
  bool add_pattern(std::string_view text, const grammar::Word& word, Operator how, std::string_view place) {
    const grammar::Span span = word.span;
    model::Pattern pattern;
    if (takes_numbers(*match_)) {
      const bool is_version = *match_ == Match::integer && names_version(sample_.fetch);
      std::string problem;
      const std::optional<std::string> numbers = is_version ? read_dotted_versions(text, problem) : std::string(text);
      if (!numbers) return refuse(cx_, voice_, span, fmt::format("{}{}", problem, place)), false;
      auto read = read_number_pattern(*numbers, how);
      if (!read) return refuse(cx_, voice_, span, fmt::format("{}{}", read.error(), place)), false;
      pattern = std::move(read).value();
    } else if (*match_ == Match::ip) {
      auto read = read_address_pattern(text, resolve_names_);
      if (!read && read.error() == AddressProblem::mask_with_holes) {
        not_supported(cx_, voice_, span, fmt::format("the mask with holes of '{}'{}", text, place));
        return false;
      }
      if (!read) {
        refuse(cx_, voice_, span, fmt::format("'{}' is not a valid IPv4 or IPv6 address{}", text, place));
        return false;
      }
      pattern = std::move(read).value();
    } else if (*match_ == Match::binary) {
      const auto bytes = bytes_of_hex(text);
      if (!bytes) {
        const std::string_view what = text.size() % 2 != 0 ? "an even number of hex digit" : "an hex digit";
        return refuse(cx_, voice_, span, fmt::format("{} is expected{}", what, place)), false;
      }
      pattern.text = *bytes;
    } else {
      pattern.text = text;
      if (*match_ == Match::regex && !is_regex(text, word, place)) return false;
    }
    pattern.span = span;
    pattern.reference = current_;
    set_.patterns.push_back(std::move(pattern));
    return true;
  }

  // A flag holds for what is read behind it (haproxy 2.6 does the same): -i does not change the files before.
  bool settle_case() {
    if (!set_.ignore_case || case_matters_before_ == 0 || takes_numbers(*match_) || *match_ == Match::ip) return true;
    set_.ignore_case = set_.patterns.size() > case_matters_before_;
    if (set_.ignore_case) not_supported(cx_, voice_, case_span_, "the ACL flag '-i' between patterns");
    return !set_.ignore_case;
  }

  // A method's own comparison leaves the names that HTTP defines as they are (haproxy 2.6 does the same): only among
  // others does -i mean something.
  void keep_case_of_methods() noexcept {
    for (const model::Pattern& pattern : set_.patterns) {
      for (const std::string_view standard : {"OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "CONNECT"}) {
        if (kernels::match_text(standard, pattern.text, Match::string, true)) set_.ignore_case = false;
      }
    }
  }

  bool is_regex(std::string_view text, const grammar::Word& word, std::string_view place) {
    const auto wrong = problem_of_regex(text, {.ignore_case = set_.ignore_case});
    if (!wrong) return true;
    grammar::Span span = word.span;
    if (place.empty()) {
      span = word.part(wrong->offset, 1);
      span.length = std::max<std::uint32_t>(span.length, 1);
    }
    return refuse(cx_, voice_, span, fmt::format("{}{}", wrong->reason, place)), false;
  }

  // One pattern a line; lines that begin with '#', and blank ones, are none.
  bool read_file(const grammar::Word& flag) {
    if (!choose_match()) return false;
    const grammar::Word& named = at_ < end_ ? words_[at_] : flag;
    const std::string path = at_ < end_ ? named.text : std::string();
    if (at_ < end_) ++at_;
    const auto text = read_whole_file(path);
    if (path.empty() || !text) {
      return refuse(cx_, voice_, named.span, fmt::format("failed to open pattern file <{}>", path)), false;
    }
    if (set_.reference.empty()) set_.reference = path;
    if (!use_file(path, *text)) return true;
    std::string_view rest = *text;
    for (std::uint32_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view pattern = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      pattern = pattern.substr(0, pattern.find('\0'));  // haproxy 2.6 does the same
      if (pattern.ends_with('\r')) pattern.remove_suffix(1);
      if (pattern.starts_with('#')) continue;
      pattern.remove_prefix(std::min(pattern.find_first_not_of(" \t"), pattern.size()));
      if (pattern.empty()) continue;
      if (!takes_patterns(*match_)) {
        cx_.config.references[current_].texts.emplace_back(pattern);
        continue;
      }
      if (!add_pattern(pattern, named, Operator::none, fmt::format(" at line {} of file '{}'", line, path)))
        return false;
      set_.patterns.back().line = line;
    }
    return true;
  }

  void warn_of_no_pattern() {
    cx_.diagnostics
        .warning(expression_->span,
                 "parsing acl keyword '{}' :\n"
                 "  no pattern to match against were provided, so this ACL will never match.\n"
                 "  If this is what you intended, please add '--' to get rid of this warning.\n"
                 "  If you intended to match only for existence, please use '-m found'.\n"
                 "  If you wanted to force an int to match as a bool, please use '-m bool'.\n",
                 expression_->text)
        .from(grammar::Origin::config);
  }

  void warn_of_arguments(const grammar::Word& pattern) {
    cx_.diagnostics
        .warning(pattern.span,
                 "parsing acl '{}' :\n"
                 "  matching '{}' for pattern '{}' is likely a mistake and probably\n"
                 "  not what you want. Maybe you need to remove the extraneous space before '('.\n"
                 "  If you are really sure this is not an error, please insert '--' between the\n"
                 "  match and the pattern to make this warning message disappear.",
                 acl_name_, expression_->text, pattern.text)
        .from(grammar::Origin::config);
  }

  ReadContext& cx_;
  const std::vector<grammar::Word>& words_;
  std::size_t at_;
  std::size_t end_ = 0;
  std::string_view acl_name_;
  const Voice& voice_;
  const grammar::Word* expression_ = nullptr;
  model::SampleExpr sample_;
  std::optional<Match> match_;
  grammar::Span match_span_;
  model::PatternSet set_;
  model::ReferenceId inline_;   // of what is written in the test
  model::ReferenceId current_;  // of the patterns being read
  bool resolve_names_ = true;
  std::size_t case_matters_before_ = 0;  // of the patterns: those before -i
  grammar::Span case_span_;
  bool bare_ = false;      // nothing at all stands behind the criterion
  bool flagless_ = false;  // a pattern does, and the criterion has no arguments
};

}  // namespace

std::optional<model::Test> resolve_test(ReadContext& cx, const std::vector<grammar::Word>& words, std::size_t first,
                                        std::string_view acl_name, const Voice& voice) {
  return TestReader(cx, words, first, acl_name, voice).read();
}

}  // namespace hawser::compiler
