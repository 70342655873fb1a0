#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "domain/model/jobs/job.h"

namespace gp {

// Identifies local callers.  gRPC does not report the peer of a Unix socket, so a second socket
// gives every process that connects a new secret, bound to the uid that the kernel reports.  Calls
// carry it as metadata (docs/adr/0004-local-credentials.md).  Any thread.
class LocalCredentialIssuer {
 public:
  // Listens on the socket `path`, open to all users.
  static Result<std::unique_ptr<LocalCredentialIssuer>> Listen(const std::string& path);
  ~LocalCredentialIssuer();

  // kUnauthenticated: this credential was not issued here, or was dropped.
  Result<User> Verify(const std::string& local_credential) const;

 private:
  explicit LocalCredentialIssuer(int listener, std::string path)
      : listener_(listener), path_(std::move(path)) {}
  void Serve();
  void Answer(int connection);

  // Beyond it the oldest is dropped; its caller connects for a new one.
  static constexpr size_t kLocalCredentialsPerUser = 256;

  int listener_;
  std::string path_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::map<std::string, User> local_credentials_;
  std::map<uint32_t, std::deque<std::string>> by_user_;
};

}  // namespace gp
