// The error pages that HAProxy has when the configuration names none, word for word.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/abi/plan.h"

namespace hawser::proxy {

struct BuiltInError {
  std::uint16_t status;
  std::string_view reason;
  std::string_view body;
};

// The page for a status; for one without a page, 500's.
const BuiltInError& built_in_error(std::uint16_t status) noexcept;

// -1: no such slot.
int error_slot(std::uint16_t status) noexcept;

// The registered reason phrase, as haproxy writes it in replies of its own.
std::string_view reason_phrase(std::uint16_t status) noexcept;

}  // namespace hawser::proxy
