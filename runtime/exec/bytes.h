// Fetches over bytes that nobody has parsed: what others than fetches_bytes.cpp need of them.
#pragma once

#include <string_view>

#include "runtime/exec/evaluation.h"

namespace hawser::exec {

// How many they are; more may come unless the subject is final.
abi::Sample bytes_so_far(const FetchCall& call, std::string_view bytes) noexcept;

// Whether the client's bytes begin with an HTTP request: known when its head is complete or wrong.
abi::Sample begins_http(const FetchCall& call) noexcept;

}  // namespace hawser::exec
