#include "compiler/resolve/availability.h"

#include <fmt/format.h>

#include "runtime/abi/rows.h"

namespace hawser::compiler {

using abi::EntryPoint;

bool available_at(const FetchRow& fetch, EntryPoint point) noexcept { return (fetch.available & abi::bit(point)) != 0; }

std::string_view needs_of(const FetchRow& fetch) noexcept {
  if (reads_buffer(fetch.id)) {
    return fetch.available == abi::available::response_buffer ? "response buffer" : "request buffer";
  }
  switch (fetch.available) {
    case abi::available::request_head: return "HTTP request headers";
    case abi::available::request_line: return "HTTP request";
    case abi::available::response_head: return "HTTP response headers";
    case abi::available::response_line: return "HTTP response";
    case abi::available::either_head: return "HTTP request headers,HTTP response headers";
    case abi::available::client: return "client address";
    default: return "internal state";
  }
}

bool reads_buffer(abi::FetchId fetch) noexcept {
  const abi::Effect read = abi::row(fetch).reads;
  return abi::overlap(read, abi::Effect::request_body) || abi::overlap(read, abi::Effect::response_body);
}

std::string point_title(EntryPoint point, const model::Proxy& proxy) {
  const bool is_defaults = proxy.kind == model::Proxy::Kind::defaults;
  const std::string_view request_side = proxy.frontend() || is_defaults ? "frontend" : "backend";
  const std::string_view response_side = proxy.backend() || is_defaults ? "backend" : "frontend";
  switch (point) {
    case EntryPoint::http_request: return fmt::format("{} http-request header rule", request_side);
    case EntryPoint::choose_backend: return "frontend use-backend rule";
    case EntryPoint::http_response:
    case EntryPoint::http_after_response: return fmt::format("{} http-response header rule", response_side);
    case EntryPoint::content: return fmt::format("{} tcp-request content rule", request_side);
    case EntryPoint::tcp_response: return fmt::format("{} tcp-response content rule", response_side);
    case EntryPoint::connection: return "frontend tcp-request connection rule";
    case EntryPoint::session: return "frontend tcp-request session rule";
    case EntryPoint::use_server:
    case EntryPoint::persist: return "backend use-server, balance or stick-match rule";
    case EntryPoint::log: return "logs";
    case EntryPoint::check: return "backend tcp-check rule";
    case EntryPoint::cli: return "CLI parser";
  }
  return "";
}

abi::FetchId fetch_meant_at(abi::FetchId fetch, EntryPoint point) noexcept {
  const bool in_response = (abi::available::response_head & abi::bit(point)) != 0;
  switch (fetch) {
    case abi::FetchId::hdr: return in_response ? abi::FetchId::res_hdr : abi::FetchId::req_hdr;
    case abi::FetchId::payload: return in_response ? abi::FetchId::res_payload : abi::FetchId::req_payload;
    case abi::FetchId::payload_lv: return in_response ? abi::FetchId::res_payload_lv : abi::FetchId::req_payload_lv;
    default: return fetch;
  }
}

}  // namespace hawser::compiler
