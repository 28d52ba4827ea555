// What can be fetched where (contract 9): fetches against points of evaluation, and how the messages call
// both.
#pragma once

#include <string>
#include <string_view>

#include "compiler/model/config.h"
#include "compiler/resolve/names.h"

namespace hawser::compiler {

bool available_at(const FetchRow& fetch, abi::EntryPoint point) noexcept;

// What a fetch needs, as HAProxy names it: "HTTP request headers".
std::string_view needs_of(const FetchRow& fetch) noexcept;

// Of the bytes of a request, whatever it is: haproxy 2.6 says that it ignores such a fetch in HTTP proxies, and
// evaluates it all the same.
bool reads_buffer(abi::FetchId fetch) noexcept;

// A point of evaluation of a proxy's rules, as HAProxy names it: "frontend http-request header rule".
std::string point_title(abi::EntryPoint point, const model::Proxy& proxy);

// A fetch that looks at the request or the response, as it is meant at a point: `hdr` in a response is
// `res.hdr`.
abi::FetchId fetch_meant_at(abi::FetchId fetch, abi::EntryPoint point) noexcept;

}  // namespace hawser::compiler
