#include "supervisor/control_message.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/bytes.h"
#include "supervisor/attempt_record.h"
#include "supervisor/record_fields.h"

namespace gp {
namespace {

enum class Kind : uint64_t { kRenew = 1, kStop, kExec, kExecAnswer, kStatus };

constexpr size_t kDefaultPacketBytes = 100'000;  // fits the socket's default buffer

void Write(ByteWriter& writer, const RenewRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kRenew));
  writer.I64(request.lease_deadline_boot_ns);
}
void Write(ByteWriter& writer, const StopRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kStop));
  writer.I64(request.grace.ns);
}
void Write(ByteWriter& writer, const ExecRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kExec));
  writer.U64(request.id);
  WriteTexts(writer, request.spec.argv);
  WriteTexts(writer, request.spec.environment);
  writer.U64(request.spec.pty ? 1 : 0);
  writer.I64(request.spec.rows);
  writer.I64(request.spec.columns);
  writer.U64(request.spec.as_main ? 1 : 0);
}
void Write(ByteWriter& writer, const ExecAnswer& answer) {
  writer.U64(static_cast<uint64_t>(Kind::kExecAnswer));
  writer.U64(answer.id);
  writer.String(answer.error);
  writer.U64(answer.pty ? 1 : 0);
}
void Write(ByteWriter& writer, const StatusReport& report) {
  writer.U64(static_cast<uint64_t>(Kind::kStatus));
  writer.String(EncodeStatus(report.status));
}

ExecRequest ReadExec(ByteReader& reader) {
  ExecRequest request;
  request.id = reader.U64();
  request.spec.argv = ReadTexts(reader);
  request.spec.environment = ReadTexts(reader);
  request.spec.pty = reader.U64() != 0;
  request.spec.rows = static_cast<int>(reader.I64());
  request.spec.columns = static_cast<int>(reader.I64());
  request.spec.as_main = reader.U64() != 0;
  return request;
}

ExecAnswer ReadExecAnswer(ByteReader& reader) {
  ExecAnswer answer;
  answer.id = reader.U64();
  answer.error = reader.String();
  answer.pty = reader.U64() != 0;
  return answer;
}

// A larger packet needs a larger buffer; only root may go past the host's limit.
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

std::string EncodeMessage(const ControlMessage& message) {
  ByteWriter writer;
  std::visit([&](const auto& kind) { Write(writer, kind); }, message);
  return writer.Take();
}

Result<ControlMessage> DecodeMessage(std::string_view bytes) {
  ByteReader reader(bytes);
  ControlMessage message;
  switch (static_cast<Kind>(reader.U64())) {
    case Kind::kRenew:
      message = RenewRequest{.lease_deadline_boot_ns = reader.I64()};
      break;
    case Kind::kStop:
      message = StopRequest{.grace = Duration{reader.I64()}};
      break;
    case Kind::kExec:
      message = ReadExec(reader);
      break;
    case Kind::kExecAnswer:
      message = ReadExecAnswer(reader);
      break;
    case Kind::kStatus:
      message = StatusReport{GP_TRY(DecodeStatus(reader.String()))};
      break;
    default:
      return Fail(InvalidArgument("unknown control message"));
  }
  if (!reader.ok()) return Fail(InvalidArgument("control message is cut off"));
  return message;
}

SendOutcome SendMessage(int socket, const ControlMessage& message,
                        const std::vector<int>& descriptors) {
  std::string bytes = EncodeMessage(message);
  MakeRoom(socket, bytes.size());
  iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
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

ReceiveOutcome ReceiveMessage(int socket, ReceivedMessage& received) {
  while (true) {
    const ssize_t size = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return ReceiveOutcome::kNothing;
    // A packet is never empty, so 0 is the end.
    if (size <= 0 || size > static_cast<ssize_t>(kMessageBytesMax)) return ReceiveOutcome::kClosed;
    std::string bytes(static_cast<size_t>(size), '\0');
    iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kDescriptorsMax)];
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    if (recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != size) {
      return ReceiveOutcome::kClosed;
    }
    received.descriptors = TakeDescriptors(header);
    Result<ControlMessage> message = DecodeMessage(bytes);
    if (!message.has_value()) continue;
    received.message = std::move(*message);
    return ReceiveOutcome::kMessage;
  }
}

}  // namespace gp
