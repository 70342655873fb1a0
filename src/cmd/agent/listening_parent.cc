#include "cmd/agent/listening_parent.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "files/descriptor.h"

namespace gp {

bool IsParentListening(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const Descriptor line(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  if (!line.valid() || connect(line.get(), name, sizeof address) != 0) return false;
  ucred listener{};
  socklen_t size = sizeof listener;
  if (getsockopt(line.get(), SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0) return false;
  // 0: a process outside of this process's namespace.
  return listener.pid != 0 && listener.pid == getppid();
}

}  // namespace gp
