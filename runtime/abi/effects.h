// What fetches read and actions write (contract 2): the passes may reuse or merge a fetch between two points
// only if nothing between them writes what it reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hawser::abi {

enum class Effect : std::uint32_t {
  none = 0,
  addresses = 1 << 0,
  request_line = 1 << 1,
  request_fields = 1 << 2,
  request_body = 1 << 3,
  response_line = 1 << 4,
  response_fields = 1 << 5,
  response_body = 1 << 6,
  variables = 1 << 7,
  tables = 1 << 8,
  servers = 1 << 9,
  clock = 1 << 10,
  random = 1 << 11,
  sets = 1 << 12,        // contents of ACLs and maps
  connection = 1 << 13,  // marks, log level, timeouts: facts of the session or exchange
};

constexpr Effect operator|(Effect a, Effect b) noexcept {
  return static_cast<Effect>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool overlap(Effect a, Effect b) noexcept {
  return (static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b)) != 0;
}

// The points at which a program is evaluated (contract 1): the rows of the entry table.
enum class EntryPoint : std::uint8_t {
  connection,      // tcp-request connection
  session,         // tcp-request session
  content,         // tcp-request content
  http_request,    // http-request and redirect rules
  choose_backend,  // use_backend
  use_server,
  persist,
  http_response,
  http_after_response,
  tcp_response,
  log,  // log-format
  check,
  cli,
};
inline constexpr std::size_t kEntryPoints = 13;

constexpr std::uint32_t bit(EntryPoint point) noexcept { return 1u << static_cast<unsigned>(point); }

// Where a fetch's answer exists (contract 9), as sets of entry points. The manual's layers 4 to 7 (section 7.3).
namespace available {
inline constexpr std::uint32_t any = (1u << kEntryPoints) - 1;
inline constexpr std::uint32_t client = any & ~bit(EntryPoint::check) & ~bit(EntryPoint::cli);
inline constexpr std::uint32_t request_head = bit(EntryPoint::content) | bit(EntryPoint::http_request) |
                                              bit(EntryPoint::choose_backend) | bit(EntryPoint::use_server) |
                                              bit(EntryPoint::persist);
inline constexpr std::uint32_t request_buffer = request_head;
inline constexpr std::uint32_t response_buffer = bit(EntryPoint::tcp_response) | bit(EntryPoint::http_response);
// Of the request where there is a request, of the response where there is one.
inline constexpr std::uint32_t either_buffer = request_buffer | response_buffer;
// The request line outlives the head: its copy is kept for responses and logs.
inline constexpr std::uint32_t request_line =
    request_head | bit(EntryPoint::http_response) | bit(EntryPoint::http_after_response) | bit(EntryPoint::log);
inline constexpr std::uint32_t response_head =
    bit(EntryPoint::http_response) | bit(EntryPoint::http_after_response) | bit(EntryPoint::tcp_response);
// The status outlives the response's head.
inline constexpr std::uint32_t response_line = response_head | bit(EntryPoint::log);
// Of the request where there is a request, of the response where there is one.
inline constexpr std::uint32_t either_head = request_head | response_head;
}  // namespace available

}  // namespace hawser::abi
