#include "adapters/inbound/api/peer.h"

#include <pwd.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

// nullopt: no such user.  A failed lookup is an error: otherwise a user would seem not to exist,
// and would lose its roles.
template <typename LookUp>
Result<std::optional<User>> Find(const std::string& user, LookUp look_up) {
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  const int failure = look_up(&entry, buffer.data(), buffer.size(), &found);
  if (failure != 0)
    return Fail(Unavailable(user + " cannot be looked up: " + std::strerror(failure)));
  return found == nullptr ? std::nullopt
                          : std::optional(User{found->pw_name, found->pw_uid, found->pw_gid});
}

}  // namespace

Result<User> PeerOf(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return Fail(Unauthenticated("the kernel does not say who calls"));
  const auto found = GP_TRY(Find("the name of uid " + std::to_string(peer.uid),
                                 [&](auto... rest) { return getpwuid_r(peer.uid, rest...); }));
  return found.value_or(User{"uid-" + std::to_string(peer.uid), peer.uid, peer.gid});
}

Result<User> NamedUser(const std::string& name) {
  const auto found = GP_TRY(Find("user: " + Printable(name, 60),
                                 [&](auto... rest) { return getpwnam_r(name.c_str(), rest...); }));
  if (!found)
    return Fail(NotFound("user: the controller's machine knows no " + Printable(name, 60)));
  return *found;
}

}  // namespace gp
