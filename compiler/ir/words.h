// The words of the printed IR that are no names of rows: what printer and parser share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "compiler/ir/instruction.h"

namespace hawser::ir {

inline constexpr std::pair<std::uint16_t, std::string_view> kFormatFlags[] = {
    {abi::format_quote, "+Q"},     {abi::format_hex, "+X"},       {abi::format_escape, "+E"},
    {abi::format_mandatory, "+M"}, {abi::format_empty, "+empty"}, {abi::format_field, "+field"}};

// By Mask.
inline constexpr std::string_view kMasks[] = {"never", "no", "yes", "no|yes", "?", "no|?", "yes|?", "always"};

inline constexpr std::string_view kRedirectKinds[] = {"location", "prefix", "scheme"};

// "text", 12, field "name", txn.name, #3, or - for none.
std::string value_text(const Value& value);

}  // namespace hawser::ir
