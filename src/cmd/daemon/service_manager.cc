#include "cmd/daemon/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "files/descriptor.h"

namespace gp {
namespace {

constexpr const char* kSocketVariable = "NOTIFY_SOCKET";
constexpr std::string_view kReady = "READY=1";

}  // namespace

ServiceManager::ServiceManager() {
  if (const char* const socket = std::getenv(kSocketVariable)) socket_ = socket;
  unsetenv(kSocketVariable);
}

Status ServiceManager::SayReady() const {
  if (socket_.empty()) return Ok();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path)
    return Fail(Internal("the path in NOTIFY_SOCKET is too long"));
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // a name outside the file system
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const Descriptor sender(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const ssize_t sent = sendto(sender.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), size);
  if (sent >= 0) return Ok();
  return Fail(Internal("the service manager at " + socket_ +
                       " does not hear that this service is ready: " + std::strerror(errno)));
}

}  // namespace gp
