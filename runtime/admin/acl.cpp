// The words and messages are haproxy 2.6's, measured; its answers to what it takes amiss, too ("Unknown map identifier" of `del
// acl`).
#include "runtime/admin/acl.h"

#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "runtime/tables/pattern_store.h"

namespace hawser::admin {
namespace {

using tables::PatternStore;

constexpr std::size_t kPieceBytes = 16 * 1024;
constexpr std::string_view kUnknown = "Unknown ACL identifier. Please use #<id> or <file>.\n";

PatternStore& store_of(const Subject& subject) { return subject.installed.state().patterns(); }

std::string_view word(const Command& command, std::size_t at) {
  return at < command.words.size() ? std::string_view(command.words[at]) : std::string_view();
}

// A number as strtol reads one: blanks, a sign, digits; none at all are 0. What follows is left in `text`.
std::int64_t take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (error == std::errc::result_out_of_range) number = INT64_MAX;
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - number : number);
}

// "@7" at `at`, which then moves behind it. Versions have 32 bits.
PatternStore::Version take_version(const Command& command, std::size_t& at) {
  std::string_view text = word(command, at);
  if (!text.starts_with('@')) return std::nullopt;
  ++at;
  text.remove_prefix(1);
  return static_cast<std::uint32_t>(take_number(text));
}

// "#id", or the file of -f.
std::optional<PatternStore::ReferenceIndex> find(const PatternStore& store, std::string_view name) {
  if (!name.starts_with('#')) return store.find_file(name);
  name.remove_prefix(1);
  const std::int64_t id = take_number(name);
  if (!name.empty() || id < 0 || static_cast<std::uint64_t>(id) >= store.references()) return std::nullopt;
  return static_cast<PatternStore::ReferenceIndex>(id);
}

// All references, a line each.
class List final : public Answer {
 public:
  explicit List(const PatternStore& store) : store_(store), count_(store.references()) {}
  bool append(std::string& out) override {
    if (next_ == 0) out += "# id (file) description\n";
    for (const std::size_t end = out.size() + kPieceBytes; next_ < count_; ++next_) {
      if (out.size() >= end) return false;
      const PatternStore::Summary row = store_.summary(next_);
      fmt::format_to(std::back_inserter(out), "{} ({}) {}. curr_ver={} next_ver={} entry_cnt={}\n", next_, row.file,
                     row.description, row.current, row.next, row.entries);
    }
    return true;
  }

 private:
  const PatternStore& store_;
  const std::size_t count_;
  PatternStore::ReferenceIndex next_ = 0;
};

// The patterns of one reference as they were when the command came, each behind the number that `del acl` takes.
class Patterns final : public Answer {
 public:
  explicit Patterns(tables::PatternRows rows) : rows_(std::move(rows)) {}
  bool append(std::string& out) override {
    for (const std::size_t end = out.size() + kPieceBytes; part_ < rows_.parts().size(); ++part_, row_ = 0) {
      const tables::PatternRows::Part& part = rows_.parts()[part_];
      for (; row_ < part.rows; ++row_) {
        if (out.size() >= end) return false;
        fmt::format_to(std::back_inserter(out), "0x{:x} {}\n", part.chunk->number(row_), part.chunk->text(row_));
      }
    }
    return true;
  }

 private:
  const tables::PatternRows rows_;
  std::size_t part_ = 0;
  std::uint32_t row_ = 0;
};

// HAProxy's names of methods, as -m takes them.
std::string_view name_of(abi::Match match) {
  switch (match) {
    case abi::Match::found: return "found";
    case abi::Match::boolean: return "bool";
    case abi::Match::integer: return "int";
    case abi::Match::ip: return "ip";
    case abi::Match::binary: return "bin";
    case abi::Match::length: return "len";
    case abi::Match::string: return "str";
    case abi::Match::substring: return "sub";
    case abi::Match::regex: return "reg";
    case abi::Match::begin: return "beg";
    case abi::Match::end: return "end";
    case abi::Match::directory: return "dir";
    case abi::Match::domain: return "dom";
  }
  return "unknown";
}

// Where haproxy keeps the patterns of a method.
std::string_view index_of(const PatternStore::Found& found) {
  const bool tree = !found.pattern || found.match == abi::Match::ip ||
                    (!found.ignore_case && (found.match == abi::Match::string || found.match == abi::Match::begin));
  return tree ? "tree" : "list";
}

void append_found(std::string& out, const PatternStore::Found& found) {
  fmt::format_to(std::back_inserter(out), "type={}, case={}sensitive, match={}", name_of(found.match),
                 found.ignore_case ? "in" : "", found.matches ? "yes" : "no");
  if (found.matches) {
    fmt::format_to(std::back_inserter(out), ", idx={}, pattern={}", index_of(found),
                   found.pattern ? fmt::format("\"{}\"", *found.pattern) : "unknown");
  }
  out += '\n';
}

}  // namespace

std::unique_ptr<Answer> answer_show_acl(const Subject& subject, const Command& command) {
  PatternStore& store = store_of(subject);
  if (command.words.size() <= 2) return std::make_unique<List>(store);
  std::size_t at = 2;
  const PatternStore::Version version = take_version(command, at);
  const auto reference = find(store, word(command, at));
  if (!reference) return answer_text(std::string(kUnknown));
  return std::make_unique<Patterns>(store.rows(*reference, version));
}

std::unique_ptr<Answer> answer_get_acl(const Subject& subject, const Command& command) {
  if (word(command, 2).empty() || word(command, 3).empty()) return answer_text("Missing ACL identifier and/or key.\n");
  PatternStore& store = store_of(subject);
  const auto reference = find(store, word(command, 2));
  if (!reference) return answer_text(std::string(kUnknown));
  std::string text;
  for (const PatternStore::Found& found : store.look_up(*reference, word(command, 3))) append_found(text, found);
  return answer_text(std::move(text));
}

std::unique_ptr<Answer> answer_add_acl(const Subject& subject, const Command& command) {
  std::size_t at = 2;
  const PatternStore::Version version = take_version(command, at);
  const std::string_view name = word(command, at);
  const std::string_view pattern = word(command, at + 1);
  if (name.empty() || pattern.empty()) {
    return answer_text("'add acl' expects two parameters: ACL identifier and pattern.\n");
  }
  // haproxy 2.6 takes the payload, lines and all, for patterns with newlines in them.
  if (command.has_payload) return answer_text("'add acl' with a payload is not supported by hawser.\n");
  PatternStore& store = store_of(subject);
  const auto reference = find(store, name);
  if (!reference) return answer_text(std::string(kUnknown));
  if (version && static_cast<std::int32_t>(store.summary(*reference).next - *version) < 0) {
    return answer_text("Version number in the future, please use 'prepare acl' before.\n");
  }
  const std::string wrong = store.add(*reference, version, pattern);
  return answer_text(wrong.empty() ? "" : wrong + ".\n");
}

std::unique_ptr<Answer> answer_del_acl(const Subject& subject, const Command& command) {
  if (word(command, 2).empty() || word(command, 3).empty()) {
    return answer_text("This command expects two parameters: ACL identifier and key.\n");
  }
  PatternStore& store = store_of(subject);
  const auto reference = find(store, word(command, 2));
  if (!reference) return answer_text("Unknown map identifier. Please use #<id> or <file>.\n");
  std::string_view key = word(command, 3);
  std::size_t erased = 0;
  if (key.starts_with('#')) {
    std::uint64_t number = 0;
    const bool hexadecimal = key.starts_with("#0x");
    key.remove_prefix(std::min<std::size_t>(3, key.size()));
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number, 16);
    const bool sound = hexadecimal && error == std::errc() && end == key.data() + key.size();
    if (sound) erased = store.erase_number(*reference, number);
  } else {
    erased = store.erase(*reference, key);
  }
  return answer_text(erased > 0 ? "" : "Key not found.\n");
}

std::unique_ptr<Answer> answer_clear_acl(const Subject& subject, const Command& command) {
  std::size_t at = 2;
  const PatternStore::Version version = take_version(command, at);
  if (word(command, at).empty()) return answer_text("Missing ACL identifier.\n");
  PatternStore& store = store_of(subject);
  const auto reference = find(store, word(command, at));
  if (!reference) return answer_text(std::string(kUnknown));
  store.clear(*reference, version);
  return answer_text("");
}

std::unique_ptr<Answer> answer_prepare_acl(const Subject& subject, const Command& command) {
  PatternStore& store = store_of(subject);
  const auto reference = find(store, word(command, 2));
  if (!reference) return answer_text(std::string(kUnknown));
  return answer_text(fmt::format("New version created: {}\n", store.prepare(*reference)));
}

std::unique_ptr<Answer> answer_commit_acl(const Subject& subject, const Command& command) {
  std::size_t at = 2;
  const PatternStore::Version version = take_version(command, at);
  if (!version) return answer_text("Missing version number.\n");
  if (word(command, at).empty()) return answer_text("Missing ACL identifier.\n");
  PatternStore& store = store_of(subject);
  const auto reference = find(store, word(command, at));
  if (!reference) return answer_text(std::string(kUnknown));
  return answer_text(store.commit(*reference, *version) ? "" : "Version number out of range.\n");
}

}  // namespace hawser::admin
