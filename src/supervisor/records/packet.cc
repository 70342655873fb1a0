#include "supervisor/records/packet.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace gp {
namespace {

constexpr size_t kDefaultPacketBytes = 100'000;  // fits the socket's default buffer

// A larger packet needs a larger buffer; only root may exceed the host's limit.
void MakeRoom(int socket, size_t packet_bytes) {
  if (packet_bytes <= kDefaultPacketBytes) return;
  const int bytes = static_cast<int>(packet_bytes * 2);
  if (setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0) {
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
}

std::vector<Descriptor> TakeDescriptors(msghdr& header) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

}  // namespace

SendOutcome SendPacket(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  MakeRoom(socket, bytes.size());
  iovec part = {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kDescriptorsMax)] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof(int) * descriptors.size());
  }
  const ssize_t count = sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count >= 0) return SendOutcome::kSent;
  return errno == EAGAIN || errno == ENOBUFS ? SendOutcome::kFull : SendOutcome::kClosed;
}

ReceiveOutcome ReceivePacket(int socket, Patience patience, Packet& packet) {
  const int wait = patience == Patience::kNone ? MSG_DONTWAIT : 0;
  ssize_t size = 0;
  do {
    size = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC | wait);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && errno == EAGAIN) return ReceiveOutcome::kNothing;
  // A packet is never empty, so 0 means that the connection is closed.
  if (size <= 0 || size > static_cast<ssize_t>(kPacketBytesMax)) return ReceiveOutcome::kClosed;
  packet.bytes.resize(static_cast<size_t>(size));
  iovec part = {.iov_base = packet.bytes.data(), .iov_len = packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kDescriptorsMax)];
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != size) {
    return ReceiveOutcome::kClosed;
  }
  packet.descriptors = TakeDescriptors(header);
  return ReceiveOutcome::kMessage;
}

}  // namespace gp
