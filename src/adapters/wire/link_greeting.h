#pragma once

// The first bytes of an agent's connection (node.proto).  No other client of the address begins
// with such a byte: HTTP/2 begins with a letter, TLS with 16 hexadecimal.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"
#include "lib/sockets/frame_socket.h"

namespace gp {

inline constexpr std::string_view kLinkGreeting = "\xF0GPL";
inline constexpr char kWithTls = 'T';
inline constexpr char kWithoutTls = 'P';
inline constexpr size_t kLinkGreetingBytes = kLinkGreeting.size() + 1;

inline std::string LinkGreeting(bool has_tls) {
  return std::string(kLinkGreeting) + (has_tls ? kWithTls : kWithoutTls);
}

// The longest message of an agent, and of a controller.
inline constexpr size_t kAgentMessageBytesMax = 16 << 20;
inline constexpr size_t kControllerMessageBytesMax = 64 << 20;

// Begins an agent's connection over a fresh socket: sends its greeting and its hello.  `tls`:
// nullptr: without TLS; only then the join token is shown.
Result<FrameSocket> GreetController(Descriptor connected, const TlsSide* tls,
                                    const std::string& join_token);

}  // namespace gp
