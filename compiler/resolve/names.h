// The rows of what expressions may name, by name: sample fetches, converters, ACL criteria, log aliases.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/effects.h"
#include "runtime/abi/params.h"
#include "runtime/abi/program.h"

namespace hawser::compiler {

struct FetchRow {
  abi::FetchId id;
  std::string_view name;
  std::span<const abi::Param> params;
  abi::SampleType result;
  std::uint32_t available;  // a set of entry points (runtime/abi/effects.h)
};

struct ConverterRow {
  abi::ConverterId id;
  std::string_view name;
  std::span<const abi::Param> params;
  abi::SampleType input;
  abi::SampleType output;
};

// A criterion that is no plain fetch: hdr_beg, path_end …
struct CriterionRow {
  std::string_view name;
  abi::FetchId fetch;
  abi::Match match;
};

struct AliasRow {
  abi::AliasId id;
  std::string_view name;
  bool http_only;
};

// Null when there is no such row.
const FetchRow* find_fetch(std::string_view name) noexcept;
const ConverterRow* find_converter(std::string_view name) noexcept;
const CriterionRow* find_criterion(std::string_view name) noexcept;
const AliasRow* find_alias(std::string_view name) noexcept;
const FetchRow& row_of(abi::FetchId id) noexcept;

// Words that HAProxy knows and that have no row yet (later.def).
enum class NameKind : std::uint8_t { fetch, converter, criterion, alias };
std::span<const std::string_view> later_names(NameKind kind) noexcept;
bool is_later(NameKind kind, std::string_view name) noexcept;

// The names of all rows of a kind, for "did you mean". Criteria are also fetches.
std::vector<std::string_view> known_names(NameKind kind);

// May a sample of type `from` be used where `to` is needed? (Manual, 7.3.1; measured with haproxy 2.6.)
bool can_cast(abi::SampleType from, abi::SampleType to) noexcept;

}  // namespace hawser::compiler
