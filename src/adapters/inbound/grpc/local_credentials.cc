#include "adapters/inbound/grpc/local_credentials.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "adapters/inbound/api/peer.h"
#include "base/ignore_result.h"
#include "lib/secrets/secrets.h"

namespace gp {

Result<std::unique_ptr<LocalCredentialIssuer>> LocalCredentialIssuer::Listen(
    const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Fail(InvalidArgument(path + ": too long for a socket"));
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  unlink(path.c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0666) != 0 || listen(listener, 1024) != 0) {
    const std::string why = std::strerror(errno);
    if (listener >= 0) close(listener);
    return Fail(Unavailable("cannot listen on " + path + ": " + why));
  }
  std::unique_ptr<LocalCredentialIssuer> issuer(new LocalCredentialIssuer(listener, path));
  issuer->thread_ = std::thread([raw = issuer.get()] { raw->Serve(); });
  return issuer;
}

LocalCredentialIssuer::~LocalCredentialIssuer() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);  // wakes accept
  thread_.join();
  close(listener_);
  unlink(path_.c_str());
}

void LocalCredentialIssuer::Serve() {
  while (!stopping_) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (stopping_) return;
      usleep(10'000);  // for example out of file descriptors: let others finish
      continue;
    }
    Answer(connection);
    close(connection);
  }
}

void LocalCredentialIssuer::Answer(int connection) {
  const auto peer = PeerOf(connection);
  const auto secret = NewSecret();
  if (!peer || !secret) return;
  {
    const std::lock_guard lock(mutex_);
    std::deque<std::string>& mine = by_user_[peer->uid];
    if (mine.size() >= kLocalCredentialsPerUser) {
      local_credentials_.erase(mine.front());
      mine.pop_front();
    }
    mine.push_back(*secret);
    local_credentials_[*secret] = *peer;
  }
  // Does not wait: a peer that does not read loses its credential and cannot block others.
  IgnoreResult(send(connection, secret->data(), secret->size(), MSG_DONTWAIT | MSG_NOSIGNAL),
               "a peer that has gone ends the connection");
}

Result<User> LocalCredentialIssuer::Verify(const std::string& local_credential) const {
  const std::lock_guard lock(mutex_);
  const auto found = local_credentials_.find(local_credential);
  if (found == local_credentials_.end())
    return Fail(Unauthenticated("no valid local credential: connect again"));
  return found->second;
}

}  // namespace gp
