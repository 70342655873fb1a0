#include "adapters/wire/link_greeting.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "gpu_platform/v1/node.pb.h"

namespace gp {

Result<FrameSocket> GreetController(Descriptor connected, const TlsSide* tls,
                                    const std::string& join_token) {
  const std::string greeting = LinkGreeting(tls != nullptr);
  // A fresh socket takes a few bytes at once.
  if (send(connected.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(greeting.size()))
    return Fail(Unavailable(std::strerror(errno)));
  FrameSocket socket(std::move(connected), tls, kControllerMessageBytesMax);
  gpu_platform::v1::Hello hello;
  if (tls == nullptr) hello.set_join_token(join_token);
  GP_CHECK_OK(socket.Send(hello.SerializeAsString()));
  return socket;
}

}  // namespace gp
