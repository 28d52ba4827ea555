// The pieces of an address as the grammar finds them.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/expressions.h"

namespace hawser::grammar {

struct AddressText {
  std::string_view prefix;               // "stream+ipv4@" without its "@"; empty when there is none
  std::string_view host;                 // what stands before the last ':' that is not in brackets, or all
  std::optional<std::string_view> port;  // behind that ':'
};

// The grammar (address_parser.cpp). Every byte string is an address.
AddressText read_address(std::string_view text);
std::size_t analyze_address();

}  // namespace hawser::grammar
