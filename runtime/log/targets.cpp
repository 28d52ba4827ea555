// Opens what the `log` lines of a Plan name.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include <fmt/format.h>

#include "runtime/log/channel.h"
#include "runtime/log/header.h"
#include "runtime/log/logger.h"
#include "runtime/net/sockets.h"

namespace hawser::log {
namespace {

constexpr std::string_view kDefaultTag = "haproxy";  // what existing parsers look for

// With a name looked up, where the plan has one.
Result<SocketAddress> target_address(abi::ImageView plan, const abi::Address& address) {
  if (address.family != abi::Address::Family::unix_path && address.family != abi::Address::Family::abstract) {
    return net::socket_address(address, plan);
  }
  const auto local = abi::socket_address(plan, address);
  if (!local) return Error{0, fmt::format("log target '{}': the socket's path is too long", plan.text(address.path))};
  return *local;
}

// A description of our own of an inherited pipe or terminal, so that making it non-blocking does not change
// it for those who share it. Where that fails, theirs is made non-blocking, as haproxy does it.
void open_descriptor(Channel& channel, int inherited) {
  struct stat status {};
  channel.kind = Channel::Kind::file;
  channel.descriptor = inherited;
  if (fstat(inherited, &status) != 0) return;  // writes fail and are counted
  if (S_ISSOCK(status.st_mode)) {
    channel.kind = Channel::Kind::socket;
  } else if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
    const std::string name = fmt::format("/proc/self/fd/{}", inherited);
    const int own = open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own >= 0) {
      channel.descriptor = own;
      channel.owned = true;
    } else {
      const int flags = fcntl(inherited, F_GETFL);
      if (flags >= 0) fcntl(inherited, F_SETFL, flags | O_NONBLOCK);
    }
  }
}

Result<Channel> open_channel(abi::ImageView plan, const abi::LogTarget& target) {
  Channel channel;
  if (target.kind == abi::LogTarget::Kind::descriptor) {
    open_descriptor(channel, static_cast<int>(target.address.descriptor));
    return channel;
  }
  const Result<SocketAddress> address = target_address(plan, target.address);
  if (!address) return address.error();
  channel.address = *address;
  if (channel.address.family() == AF_UNIX) {
    channel.kind = Channel::Kind::local;
    channel.descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (channel.descriptor < 0) return Error::from_errno("log: socket");
    channel.owned = true;
    // Nobody needs to listen yet.
    connect_local(channel);
  }
  return channel;
}

// Gives equal targets one channel.
class Opener {
 public:
  explicit Opener(Targets::Impl& impl) : impl_(impl) {}

  Status add_group(std::string_view tag, abi::Rows<abi::LogTarget> targets) {
    Targets::Impl::Group group;
    group.tag = tag;
    for (const abi::LogTarget& target : impl_.plan.rows(targets)) {
      const std::string key = identity(target);
      auto found = known_.find(key);
      if (found == known_.end()) {
        Result<Channel> channel = open_channel(impl_.plan, target);
        if (!channel) return channel.error();
        found = known_.emplace(key, static_cast<std::uint32_t>(impl_.channels.size())).first;
        impl_.channels.push_back(*channel);
      }
      group.lines.push_back({&target, found->second, line_bytes_max(target)});
      group.level_max = std::max(group.level_max, target.level_max);
    }
    impl_.groups.push_back(std::move(group));
    return Success{};
  }

 private:
  std::string identity(const abi::LogTarget& target) const {
    if (target.kind == abi::LogTarget::Kind::descriptor) return fmt::format("fd {}", target.address.descriptor);
    std::string key = fmt::format("{} {} {} ", static_cast<int>(target.address.family), target.address.port,
                                  impl_.plan.text(target.address.path));
    key.append(reinterpret_cast<const char*>(target.address.ip), sizeof target.address.ip);
    return key;
  }

  Targets::Impl& impl_;
  std::map<std::string, std::uint32_t> known_;
};

}  // namespace

Targets::Impl::~Impl() {
  for (const Channel& channel : channels) {
    if (channel.owned) close(channel.descriptor);
  }
}

bool connect_local(const Channel& channel) noexcept {
  return connect(channel.descriptor, &channel.address.any, channel.address.size) == 0;
}

Targets::Targets(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Targets::~Targets() = default;

std::uint64_t Targets::dropped() const noexcept { return impl_->dropped.load(std::memory_order_relaxed); }

Result<std::unique_ptr<Targets>> Targets::open(abi::ImageView image) {
  const auto& plan = image.root<abi::Plan>();
  auto impl = std::make_unique<Impl>();
  impl->plan = image;
  impl->pid = static_cast<std::uint32_t>(getpid());
  Opener opener(*impl);
  const std::string_view global_tag = plan.global.log_tag.size != 0 ? image.text(plan.global.log_tag) : kDefaultTag;
  if (Status done = opener.add_group(global_tag, plan.global.logs); !done) return done.error();
  for (const abi::Proxy& proxy : image.rows(plan.proxies)) {
    const std::string_view tag = proxy.log_tag.size != 0 ? image.text(proxy.log_tag) : global_tag;
    if (Status done = opener.add_group(tag, proxy.logs); !done) return done.error();
  }
  return std::unique_ptr<Targets>(new Targets(std::move(impl)));
}

}  // namespace hawser::log
