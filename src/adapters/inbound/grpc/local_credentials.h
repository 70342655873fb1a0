#pragma once

// Who calls.  gRPC does not tell a Unix socket's peer, so a second socket does one thing: it gives
// every process that connects a fresh secret bound to the uid that the kernel vouches for.  Calls
// carry it as metadata (docs/adr/0004-local-credentials.md).

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "domain/model/job.h"

namespace gp {

class LocalCredentialIssuer {
 public:
  // Listens on the socket `path`, open to all users.
  static Result<std::unique_ptr<LocalCredentialIssuer>> Listen(const std::string& path);
  ~LocalCredentialIssuer();

  // kUnauthenticated where the ticket is none of ours.
  Result<User> Verify(const std::string& local_credential) const;

 private:
  explicit LocalCredentialIssuer(int listener, std::string path)
      : listener_(listener), path_(std::move(path)) {}
  void Serve();
  void Answer(int connection);

  static constexpr size_t kLocalCredentialsPerUser =
      256;  // the oldest goes; a caller asks for a new one

  int listener_;
  std::string path_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::map<std::string, User> local_credentials_;
  std::map<uint32_t, std::deque<std::string>> by_user_;
};

}  // namespace gp
