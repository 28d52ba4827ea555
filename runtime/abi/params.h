// The arguments of fetches, converters and actions, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hawser::abi {

enum class Take : std::uint8_t {
  string,
  integer,   // signed 64 bits within [min, max]
  size,      // bytes with k, m, g
  duration,  // milliseconds
  ipv4_mask,
  ipv6_mask,
  variable,  // scope.name
  value,     // an integer or a variable (arithmetic converters)
  text,      // string, may contain variables later; for concat and friends: as written
  char_set,  // delimiters: a string of at least one byte
  frontend,
  backend,
  server,  // [backend/]server
  table,
  userlist,
  map_file,
  own_name,  // the param's name, or nothing
  boolean,   // 0, 1, true or false, in any case: kept as the number
  index,     // an integer other than 0: occurrences and words count from 1, from the end when negative
};

struct Param {
  std::string_view name;
  Take take = Take::string;
  bool optional = false;
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;
};

// The rows of fetches.def and converters.def name one of these. Positional; optional ones come last.
namespace params {
inline constexpr std::span<const Param> none{};
inline constexpr Param kName[] = {{.name = "name"}};
inline constexpr std::span<const Param> name{kName};
// [name[,occurrence]]: occurrences count from 1, negative ones from the end.
inline constexpr Param kFieldOccurrence[] = {{.name = "name", .optional = true},
                                             {.name = "occ", .take = Take::integer, .optional = true}};
inline constexpr std::span<const Param> field_occurrence{kFieldOccurrence};
inline constexpr Param kFieldName[] = {{.name = "name", .optional = true}};
inline constexpr std::span<const Param> field_name{kFieldName};
inline constexpr Param kUrlParam[] = {{.name = "name", .optional = true},
                                      {.name = "delim", .take = Take::string, .optional = true},
                                      {.name = "i", .take = Take::own_name, .optional = true}};
inline constexpr std::span<const Param> url_param{kUrlParam};
inline constexpr Param kUrl32[] = {{.name = "delim", .optional = true}};
inline constexpr std::span<const Param> delimiter{kUrl32};
inline constexpr Param kVariable[] = {{.name = "var", .take = Take::variable}, {.name = "default", .optional = true}};
inline constexpr std::span<const Param> variable{kVariable};
inline constexpr Param kWord[] = {{.name = "index", .take = Take::index},
                                  {.name = "delimiters", .take = Take::char_set},
                                  {.name = "count", .take = Take::integer, .optional = true}};
inline constexpr std::span<const Param> word{kWord};
inline constexpr Param kConcat[] = {{.name = "start", .optional = true},
                                    {.name = "var", .take = Take::variable, .optional = true},
                                    {.name = "end", .optional = true}};
inline constexpr std::span<const Param> concat{kConcat};
inline constexpr Param kValue[] = {{.name = "value", .take = Take::value}};
inline constexpr std::span<const Param> value{kValue};
inline constexpr Param kInPath[] = {{.name = "in_form", .take = Take::integer, .optional = true}};
inline constexpr std::span<const Param> url_dec{kInPath};
inline constexpr Param kText[] = {{.name = "text", .optional = true}};
inline constexpr std::span<const Param> text{kText};
inline constexpr Param kInteger[] = {{.name = "integer", .take = Take::integer}};
inline constexpr std::span<const Param> integer{kInteger};
inline constexpr Param kPayload[] = {{.name = "offset", .take = Take::integer, .min = 0},
                                     {.name = "length", .take = Take::integer, .min = 0}};
inline constexpr std::span<const Param> payload{kPayload};
// The last: where the block begins; with a sign, how far behind its length.
inline constexpr Param kPayloadLv[] = {{.name = "offset1", .take = Take::integer, .min = 0},
                                       {.name = "length", .take = Take::integer, .min = 1},
                                       {.name = "offset2", .optional = true}};
inline constexpr std::span<const Param> payload_lv{kPayloadLv};
inline constexpr Param kBoolean[] = {{.name = "boolean", .take = Take::boolean}};
inline constexpr std::span<const Param> boolean{kBoolean};
}  // namespace params

}  // namespace hawser::abi
