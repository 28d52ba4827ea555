#include "runtime/admin/state_commands.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runtime/admin/session_commands.h"
#include "runtime/base/address.h"
#include "runtime/base/arena.h"

namespace hawser::admin {
namespace {

using abi::Address;
using abi::SampleType;

// Of a socket that was inherited, what it is bound to.
SocketAddress address_of_descriptor(std::uint32_t descriptor) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(static_cast<int>(descriptor), &address.any, &address.size) != 0) address.size = 0;
  return address;
}

std::string socket_name(const abi::ImageView& image, const Address& address) {
  const bool inherited = address.family == Address::Family::descriptor;
  const SocketAddress bound = inherited ? address_of_descriptor(address.descriptor)
                                        : abi::socket_address(image, address).value_or(SocketAddress());
  switch (bound.family()) {
    case AF_UNIX:
      // An abstract one names its kind itself.
      return address.family == Address::Family::abstract ? bound.to_string()
                                                         : fmt::format("unix@{}", bound.to_string());
    case AF_INET: return fmt::format("ipv4@{}:{}", bound.ip().to_string(), bound.port());
    case AF_INET6: return fmt::format("ipv6@{}:{}", bound.ip().to_string(), bound.port());
    default: return "unknown";
  }
}

std::string ip_text(const abi::Sample& value) {
  IpAddress address;
  address.family = value.type == SampleType::ipv4 ? IpAddress::Family::v4 : IpAddress::Family::v6;
  std::copy(std::begin(value.ip), std::end(value.ip), address.bytes.begin());
  return address.to_string();
}

// As haproxy shows it: bytes up to the first NUL, and no newline of its own.
std::string variable_text(const abi::Sample& value) {
  const auto form = [](std::string_view type, std::string_view text) {
    return fmt::format("type={} value=<{}>", type, text.substr(0, text.find('\0')));
  };
  switch (value.type) {
    case SampleType::boolean: return form("bool", std::to_string(value.integer));
    case SampleType::sint: return form("sint", std::to_string(value.integer));
    case SampleType::ipv4: return form("ipv4", ip_text(value));
    case SampleType::ipv6: return form("ipv6", ip_text(value));
    case SampleType::string: return form("str", value.view());
    case SampleType::binary: return form("bin", value.view());
    case SampleType::method: return form("meth", value.view());
    case SampleType::absent:
    case SampleType::any:
    case SampleType::address: break;
  }
  return form("any", "");
}

}  // namespace

std::unique_ptr<Answer> answer_sockets(const Subject& subject) {
  const abi::ImageView image = subject.installed.image();
  std::string out = "# socket lvl processes\n";
  for (const abi::CommandSocket& socket : image.rows(subject.installed.plan().global.command_sockets)) {
    fmt::format_to(std::back_inserter(out), "{} {} all\n", socket_name(image, socket.address),
                   level_name(socket.level));
  }
  return answer_text(std::move(out));
}

std::unique_ptr<Answer> answer_environment(const Command& command) {
  const std::string_view name = command.words.size() > 2 ? std::string_view(command.words[2]) : std::string_view();
  std::string out;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (name.empty() || variable.substr(0, variable.find('=')) == name) {
      out += variable;
      out += '\n';
    }
  }
  if (out.empty() && !name.empty()) out = "Variable not found\n";
  return answer_text(std::move(out));
}

std::unique_ptr<Answer> answer_backends(const Subject& subject) {
  std::string out = "# name\n";
  for (const tables::Installed::ProxyRow& proxy : subject.installed.proxies()) {
    if (proxy.plan->is_backend) fmt::format_to(std::back_inserter(out), "{}\n", proxy.name);
  }
  return answer_text(std::move(out));
}

std::unique_ptr<Answer> answer_variable(const Subject& subject, const Command& command) {
  if (command.words.size() < 3) return answer_text("Missing process-wide variable identifier.\n");
  static constexpr std::string_view kScope = "proc.";
  const std::string_view name = command.words[2];
  if (!name.starts_with(kScope)) return answer_text("Variable not found.\n");
  Arena arena;
  const abi::Sample value = subject.installed.state().variables.find(name.substr(kScope.size()), arena);
  if (value.type == SampleType::absent) return answer_text("Variable not found.\n");
  return answer_text(fmt::format("{}: {}", name, variable_text(value)));
}

std::unique_ptr<Answer> clear_counters(const Subject& subject, const Command& command, const Session& session) {
  const bool all = command.words.size() > 2 && command.words[2] == "all";
  if (all && session.level < abi::AccessLevel::admin) return answer_text("Permission denied\n");
  const auto clear = [all](tables::CounterSet& counters) { all ? counters.clear() : counters.clear_highest(); };
  for (const tables::Installed::ProxyRow& proxy : subject.installed.proxies()) {
    clear(proxy.state->frontend);
    clear(proxy.state->backend);
    for (const tables::Installed::ServerRow& server : proxy.servers) clear(server.state->counters);
  }
  return answer_text("");
}

}  // namespace hawser::admin
