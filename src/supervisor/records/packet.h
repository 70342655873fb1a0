#pragma once

// One packet of a SOCK_SEQPACKET socket, with the descriptors attached to it.

#include <string>
#include <string_view>
#include <vector>

#include "files/descriptor.h"

namespace gp {

inline constexpr size_t kPacketBytesMax = 4 << 20;
inline constexpr int kDescriptorsMax = 4;

enum class SendOutcome { kSent, kFull, kClosed };
// Never blocks, never raises SIGPIPE.  kFull: the other side does not read.
SendOutcome SendPacket(int socket, std::string_view bytes,
                       const std::vector<int>& descriptors = {});

struct Packet {
  std::string bytes;
  std::vector<Descriptor> descriptors;
};
enum class ReceiveOutcome { kMessage, kNothing, kClosed };
enum class Patience { kNone, kUntilOneComes };
ReceiveOutcome ReceivePacket(int socket, Patience patience, Packet& packet);

}  // namespace gp
