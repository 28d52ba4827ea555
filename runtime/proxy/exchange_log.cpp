// The end of an exchange on record: its counters and its log line.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/proxy/exchange.h"
#include "runtime/proxy/session.h"

namespace hawser::proxy {
namespace {

std::size_t status_class(std::uint16_t status) noexcept {
  return status / 100 >= 1 && status / 100 <= 5 ? status / 100 : 0;
}

std::string plain_line(const exec::SessionFacts& facts, std::string_view name, bool http) {
  return fmt::format("Connect from {} to {} ({}/{})", facts.client.to_string(), facts.local.to_string(), name,
                     http ? "HTTP" : "TCP");
}

}  // namespace

void Exchange::count_end() noexcept {
  const auto bytes_in = static_cast<std::int64_t>(facts_.bytes_in);
  const auto bytes_out = static_cast<std::int64_t>(facts_.bytes_out);
  tables::Counters& front = core_.frontend_counters(session_->frontend_index());
  front.bytes_in.add(bytes_in);
  front.bytes_out.add(bytes_out);
  const std::size_t answered = status_class(facts_.status);
  if (http_ && facts_.status != 0 && !silent_) front.responses[answered].add();
  if (!has_backend()) return;
  const auto proxy = static_cast<std::uint32_t>(facts_.backend);
  tables::Counters& back = core_.backend_counters(proxy);
  back.current.add(-1);
  back.bytes_in.add(bytes_in);
  back.bytes_out.add(bytes_out);
  if (http_ && facts_.status != 0 && !silent_) back.responses[answered].add();
  if (facts_.server < 0) return;
  tables::Counters& server = core_.server_counters(proxy, static_cast<std::uint32_t>(facts_.server));
  server.bytes_in.add(bytes_in);
  server.bytes_out.add(bytes_out);
  // haproxy counts a request of a server when it answers it.
  if (!http_ || facts_.response_head_us == 0) return;
  server.requests.add();
  server.responses[answered].add();
}

void Exchange::count_engines() noexcept {
  if (ran_interpreted_) {
    core_.engines.interpreted.add();
  } else if (ran_native_) {
    core_.engines.native.add();
  }
}

void Exchange::log() noexcept {
  const abi::Proxy& proxy = frontend();
  const std::uint32_t index = session_->frontend_index();
  const auto target = static_cast<std::int32_t>(index);
  if (proxy.log_format == abi::Proxy::LogFormat::none || core_.logs == nullptr) return;
  if (!core_.logs->wanted(target, log::Level::info)) return;
  if (!http_ && !proxy.log_null_connections && facts_.bytes_in == 0 && facts_.bytes_out == 0) return;
  if (proxy.log_format == abi::Proxy::LogFormat::plain) {
    const std::string_view name = core_.rows()[index].name;
    core_.frontend_counters(index).log_lines.add();
    return core_.logs->send(target, log::Level::info, plain_line(session_->facts(), name, http_), core_.now);
  }
  frame_.line = {};
  resume_ = 0;
  run(index, abi::EntryPoint::log);
  core_.frontend_counters(index).log_lines.add();  // %lc counts the lines before this one
  core_.logs->send(target, log::Level::info, frame_.line, core_.now);
}

}  // namespace hawser::proxy
