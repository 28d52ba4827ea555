#include "compiler/resolve/names.h"

#include <algorithm>
#include <iterator>

namespace hawser::compiler {
namespace {

using abi::SampleType;

constexpr FetchRow kFetches[] = {
#define FETCH(id, name, params_, type, available_, ...) \
  {abi::FetchId::id, name, abi::params::params_, SampleType::type, abi::available::available_},
#include "runtime/abi/fetches.def"
#undef FETCH
};

constexpr ConverterRow kConverters[] = {
#define CONVERTER(id, name, params_, input, output, ...) \
  {abi::ConverterId::id, name, abi::params::params_, SampleType::input, SampleType::output},
#include "runtime/abi/converters.def"
#undef CONVERTER
};

constexpr CriterionRow kCriteria[] = {
#define ACL(name, fetch, match) {name, abi::FetchId::fetch, abi::Match::match},
#include "compiler/resolve/acls.def"
#undef ACL
};

constexpr AliasRow kAliases[] = {
#define ALIAS(id, name, http_only, ...) {abi::AliasId::id, name, http_only},
#include "runtime/abi/aliases.def"
#undef ALIAS
};

constexpr std::string_view kLaterFetches[] = {
#define LATER_FETCH(name) name,
#include "compiler/resolve/later.def"
};
constexpr std::string_view kLaterConverters[] = {
#define LATER_CONVERTER(name) name,
#include "compiler/resolve/later.def"
};
constexpr std::string_view kLaterCriteria[] = {
#define LATER_CRITERION(name) name,
#include "compiler/resolve/later.def"
};
constexpr std::string_view kLaterAliases[] = {
#define LATER_ALIAS(name) name,
#include "compiler/resolve/later.def"
};

template <class Row, std::size_t count>
const Row* find_row(const Row (&rows)[count], std::string_view name) noexcept {
  const auto* found = std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : found;
}

template <class Row, std::size_t count>
void add_names(std::vector<std::string_view>& names, const Row (&rows)[count]) {
  for (const Row& row : rows) names.push_back(row.name);
}

}  // namespace

const FetchRow* find_fetch(std::string_view name) noexcept { return find_row(kFetches, name); }
const ConverterRow* find_converter(std::string_view name) noexcept { return find_row(kConverters, name); }
const CriterionRow* find_criterion(std::string_view name) noexcept { return find_row(kCriteria, name); }
const AliasRow* find_alias(std::string_view name) noexcept { return find_row(kAliases, name); }
const FetchRow& row_of(abi::FetchId id) noexcept { return kFetches[static_cast<std::size_t>(id)]; }

std::span<const std::string_view> later_names(NameKind kind) noexcept {
  switch (kind) {
    case NameKind::fetch: return kLaterFetches;
    case NameKind::converter: return kLaterConverters;
    case NameKind::criterion: return kLaterCriteria;
    case NameKind::alias: return kLaterAliases;
  }
  return {};
}

bool is_later(NameKind kind, std::string_view name) noexcept {
  const std::span<const std::string_view> words = later_names(kind);
  return std::find(words.begin(), words.end(), name) != words.end();
}

std::vector<std::string_view> known_names(NameKind kind) {
  std::vector<std::string_view> names;
  switch (kind) {
    case NameKind::criterion: add_names(names, kCriteria); [[fallthrough]];
    case NameKind::fetch: add_names(names, kFetches); break;
    case NameKind::converter: add_names(names, kConverters); break;
    case NameKind::alias: add_names(names, kAliases); break;
  }
  return names;
}

bool can_cast(SampleType from, SampleType to) noexcept {
  if (from == to || from == SampleType::any || to == SampleType::any) return true;
  switch (from) {
    case SampleType::boolean: return to == SampleType::sint || to == SampleType::string || to == SampleType::binary;
    case SampleType::binary:
    case SampleType::method: return to == SampleType::string || to == SampleType::binary;
    case SampleType::sint:
    case SampleType::address:
    case SampleType::ipv4:
    case SampleType::ipv6:
    case SampleType::string: return to != SampleType::method;
    case SampleType::absent:
    case SampleType::any: break;
  }
  return false;
}

}  // namespace hawser::compiler
