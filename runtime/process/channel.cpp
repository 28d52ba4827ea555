#include "runtime/process/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/check.h"

namespace hawser::process {

void Message::set_text(std::string_view value) noexcept {
  text_bytes = static_cast<std::uint16_t>(std::min(value.size(), kMessageTextMax));
  std::memcpy(text, value.data(), text_bytes);
}

std::string_view Message::get_text() const noexcept {
  return {text, std::min<std::size_t>(text_bytes, kMessageTextMax)};
}

Result<std::pair<OwnedDescriptor, OwnedDescriptor>> make_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return Error::from_errno("socketpair");
  return std::pair(OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]));
}

bool send_message(int socket, const Message& message, std::span<const int> descriptors) noexcept {
  HAWSER_CHECK(descriptors.size() <= kMessageDescriptorsMax);
  iovec vector{const_cast<Message*>(&message), sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(kMessageDescriptorsMax * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

Received receive_message(int socket, Waiting waiting, Message& message, std::vector<OwnedDescriptor>& descriptors) {
  descriptors.clear();
  iovec vector{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(kMessageDescriptorsMax * sizeof(int))];
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t size;
  do {
    size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | (waiting == Waiting::no ? MSG_DONTWAIT : 0));
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::nothing;
  if (size != static_cast<ssize_t>(sizeof message)) return Received::closed;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(part) + at * sizeof(int), sizeof descriptor);
      descriptors.emplace_back(descriptor);
    }
  }
  return Received::message;
}

}  // namespace hawser::process
