#include "adapters/inbound/api/peer.h"

#include <pwd.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

namespace gp {

Result<User> PeerOf(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return Fail(Unauthenticated("the kernel does not say who calls"));
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  // Who could not be looked up must not pass for one without a name, and without what was granted to it.
  const int failure = getpwuid_r(peer.uid, &entry, buffer.data(), buffer.size(), &found);
  if (failure != 0) return Fail(Unavailable("the name of uid " + std::to_string(peer.uid) + " cannot be looked up: " + std::strerror(failure)));
  const std::string name = found != nullptr ? found->pw_name : "uid-" + std::to_string(peer.uid);
  return User{name, peer.uid, found != nullptr ? found->pw_gid : peer.gid};
}

}  // namespace gp
